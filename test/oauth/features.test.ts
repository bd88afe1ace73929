import { describe, expect, test } from "vitest";
import { authorizationServerMetadata, openIdMetadata } from "../../lib/authorization-server/metadata.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import {
  grantableScopes,
  offersCodeFlow,
  offersExchange,
  offersOpenId,
  offersRefresh,
} from "../../lib/config/oauth-features.ts";
import { NO_REGISTRATION } from "../support/configuration.ts";
import { ISSUER, inProcessConfiguration, PROVIDER } from "../support/in-process.ts";
import { APP, CONNECTOR, REGISTRATION } from "./clients/started.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const configured = (changes: Partial<Configuration>): Configuration => ({ ...inProcessConfiguration, ...changes });
const registering = (changes: Partial<typeof REGISTRATION>) => ({
  ...PROVIDER,
  registration: { ...REGISTRATION, ...changes },
});
const oauthMetadata = (configuration: Configuration) => authorizationServerMetadata(configuration);
const openId = (configuration: Configuration) => openIdMetadata(configuration, { algorithms: () => ["ES256"] });

const OWN_CONNECTOR = { ...CONNECTOR, name: "own", wellKnownURL: `${ISSUER}/.well-known/openid-configuration` };

describe("the authorization code grant", () => {
  test.each<[string, boolean, Partial<Configuration>]>([
    ["nothing is configured", false, {}],
    ["an app has nowhere to sign in", false, { apps: [APP] }],
    [
      "an app has a connector that is not configured",
      false,
      { connectors: [CONNECTOR], apps: [{ ...APP, idps: ["gone"] }] },
    ],
    ["the only connector is this instance", false, { connectors: [OWN_CONNECTOR], apps: [{ ...APP, idps: ["own"] }] }],
    ["no client may use it", false, { connectors: [CONNECTOR], apps: [{ ...APP, grantTypes: [EXCHANGE] }] }],
    ["an app may use it", true, { connectors: [CONNECTOR], apps: [APP] }],
    [
      "clients register themselves",
      true,
      { connectors: [CONNECTOR], oidcProvider: registering({ clientIDMetadata: false }) },
    ],
    ["clients have documents", true, { connectors: [CONNECTOR], oidcProvider: registering({ dynamic: false }) }],
    [
      "clients that come have no connector",
      false,
      { connectors: [CONNECTOR], oidcProvider: registering({ connectors: [] }) },
    ],
  ])("%s: %s", (_, isOffered, changes) => {
    const configuration = configured(changes);
    expect(offersCodeFlow(configuration)).toBe(isOffered);
    expect(oauthMetadata(configuration)).toMatchObject({ response_types_supported: isOffered ? ["code"] : [] });
    expect("code_challenge_methods_supported" in oauthMetadata(configuration)).toBe(isOffered);
    expect("userinfo_endpoint" in openId(configuration)).toBe(isOffered);
  });

  test("refresh tokens and OpenID Connect are offered where some client may have them", () => {
    const only = (app: Partial<typeof APP>) => configured({ connectors: [CONNECTOR], apps: [{ ...APP, ...app }] });
    expect(offersRefresh(only({}))).toBe(true);
    expect(offersRefresh(only({ grantTypes: ["authorization_code"] }))).toBe(false);
    expect(offersOpenId(only({}))).toBe(true);
    expect(offersOpenId(only({ scopes: ["books:read"] }))).toBe(false);
    expect(openId(only({ scopes: ["books:read"] }))).toMatchObject({ id_token_signing_alg_values_supported: [] });
  });

  test("exchanges are for apps with the grant, with or without people", () => {
    const configuration = configured({ apps: [{ ...APP, grantTypes: [EXCHANGE] }] });
    expect([offersExchange(configuration), offersExchange(configured({ apps: [APP] }))]).toEqual([true, false]);
    expect(oauthMetadata(configuration)).toMatchObject({
      token_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_basic", "client_secret_post"],
    });
  });

  test("the scopes are those of every client that people can sign in for, each once", () => {
    const apps = [
      { ...APP, scopes: ["openid", "ledger:list"] },
      { ...APP, idps: [], scopes: ["never"] },
    ];
    const configuration = configured({ connectors: [CONNECTOR], apps, oidcProvider: registering({}) });
    expect(grantableScopes(configuration)).toEqual(["openid", "ledger:list", "profile", "books:read"]);
  });
});

describe("metadata", () => {
  test("of an instance with all of it", () => {
    const configuration = configured({ connectors: [CONNECTOR], apps: [APP], oidcProvider: registering({}) });
    expect(oauthMetadata(configuration)).toMatchObject({
      registration_endpoint: `${ISSUER}/oauth2/register`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_basic", "client_secret_post", "none"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256"],
      revocation_endpoint_auth_methods_supported: expect.arrayContaining(["none"]),
      scopes_supported: ["openid", "profile", "books:read"],
      prompt_values_supported: expect.arrayContaining(["none", "login", "consent"]),
    });
    expect(oauthMetadata(configuration).introspection_endpoint_auth_methods_supported).not.toContain("none");
    expect(oauthMetadata(configuration)).not.toHaveProperty("userinfo_endpoint");
    expect(openId(configuration)).toMatchObject({
      userinfo_endpoint: `${ISSUER}/oauth2/userinfo`,
      end_session_endpoint: `${ISSUER}/oauth2/logout`,
      id_token_signing_alg_values_supported: ["ES256"],
      subject_types_supported: ["public"],
      claims_supported: expect.arrayContaining(["sub", "auth_time", "name"]),
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
    expect(openId(configuration).claims_supported).not.toContain("email");
  });

  const SECRET = ["client_secret_basic", "client_secret_post"];
  const PUBLIC = { ...APP, isPublic: true, secrets: [] };
  const SIGNING = { ...APP, secrets: [], jwks: [{ kty: "EC" }] };
  test.each<[string, Partial<Configuration>, readonly string[], readonly string[]]>([
    ["no client but API clients", {}, [], []],
    ["a resource server with a secret", { apps: [{ ...APP, grantTypes: [] }] }, SECRET, []],
    ["an app with keys", { connectors: [CONNECTOR], apps: [SIGNING] }, [], []],
    ["a public app", { connectors: [CONNECTOR], apps: [PUBLIC] }, [], ["none"]],
    [
      "clients that have documents",
      { connectors: [CONNECTOR], oidcProvider: registering({ dynamic: false }) },
      [],
      ["none"],
    ],
    [
      "clients that register",
      { connectors: [CONNECTOR], oidcProvider: registering({ clientIDMetadata: false }) },
      SECRET,
      ["none"],
    ],
    ["registration without a connector", { oidcProvider: registering({}) }, [], []],
  ])("names the ways in which some client authenticates: %s", (_, changes, bySecret, byNothing) => {
    const callers = ["private_key_jwt", ...bySecret];
    const metadata = oauthMetadata(configured(changes));
    expect(metadata.introspection_endpoint_auth_methods_supported).toEqual(callers);
    expect(metadata.revocation_endpoint_auth_methods_supported).toEqual([...callers, ...byNothing]);
    const hasPeople = (metadata.response_types_supported as readonly string[]).length > 0;
    expect(metadata.token_endpoint_auth_methods_supported).toEqual(
      hasPeople ? [...callers, ...byNothing] : ["private_key_jwt"],
    );
  });

  test("names no way for clients to come that is off", () => {
    const oidcProvider = { ...PROVIDER, registration: { ...NO_REGISTRATION, connectors: ["corp"] } };
    const metadata = oauthMetadata(configured({ connectors: [CONNECTOR], apps: [APP], oidcProvider }));
    expect(metadata).not.toHaveProperty("registration_endpoint");
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: false });
  });
});
