import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileConfiguration } from "../../lib/config/compile.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { OPENAPI, REGO } from "./support.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** Everything else is called as it is named. */
const SECRETS: Readonly<Record<string, string>> = {
  "provider.publicKey": publicKey,
  "provider.privateKey": privateKey,
};

async function load(name: string): Promise<{ configuration: Configuration; warnings: readonly string[] }> {
  const text = readFileSync(new URL(`published/${name}.yaml`, import.meta.url), "utf8");
  const compiled = await compileConfiguration(text, { file: name, readDocument: async () => OPENAPI, rego: REGO });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  const { configuration, warnings } = await resolveConfiguration(compiled.artifact, {
    environment: {},
    secrets: { get: async (reference) => SECRETS[reference] ?? reference },
    runtime: "node",
  });
  return { configuration, warnings: warnings.map(({ path, message }) => `${path}: ${message}`) };
}

const NOT_YET = "accepted, not yet in effect";
const OPEN = "tools that no entry with scopes names of the app";

describe("a published gateway loads unchanged", () => {
  test("with a warning for each thing that is not served", async () => {
    const { warnings } = await load("gateway");
    expect(warnings).toEqual([
      "session.store: accepted, without effect: sessions live in the runtime's store",
      "caches: accepted, without effect: state lives in the runtime's store",
      "apps[0].policies[0]: everybody who can sign in at auth-provider may use it: say so with authorization.allowAll: true, or add checks",
      "apps[1].authorization.inbound: 1 of 1 tool of the app weather need no scope: every authenticated agent may call them",
      "apps[2].authorization.inbound: 1 of 1 tool of the app employees need no scope: every authenticated agent may call them",
      expect.stringMatching(/^apps\[4\]\.authorization\.inbound\.opa: the policy reads the Authorization header, /),
      `apps[5].authorization.inbound: ${OPEN} reports need no scope: every authenticated agent may call them`,
      `apps[6].authorization.inbound: ${OPEN} search need no scope: every authenticated agent may call them`,
    ]);
  });

  test("and serves every app, with its policies and the tokens that it asks for", async () => {
    const { configuration } = await load("gateway");
    expect(configuration.apps).toMatchObject([
      { type: "proxy", policies: [{ idps: ["auth-provider"] }] },
      { name: "weather", outbound: { type: "unprotected" } },
      {
        name: "employees",
        outbound: {
          type: "tokenExchange",
          mode: "delegation",
          idp: "auth-provider",
          audience: "https://employees.lab/",
          tools: [{ name: "getEmployee", ttl: 5_000, scopes: ["employees:Read"] }],
        },
      },
      { name: "directory", policies: [{ engine: "opa", name: "directory-inbound", plan: expect.anything() }] },
      { name: "ledger", policies: [{ engine: "opa", name: "ledger-inbound", plan: expect.anything() }] },
      { name: "reports", type: "mcpProxy", namespace: "", transport: "sse", url: "https://reports.lab/sse" },
      { name: "search", type: "mcpProxy", namespace: "search_", url: "https://search.lab/mcp" },
    ]);
  });

  test("at the address that its tokens are meant for, behind the tokens that it asks for", async () => {
    const { publicURL, mcpProvider } = (await load("gateway")).configuration;
    expect(publicURL).toBe("https://gateway.lab");
    expect(mcpProvider).toMatchObject({
      serverName: "Lab Gateway",
      stream: { path: "/mcp", resource: "https://gateway.lab/", session: { headerName: "Mcp-Session-Id" } },
      sse: { path: "/legacy/sse", resource: "https://gateway.lab/" },
      allowedHosts: ["gateway.lab"],
      oauth: { enabled: true, servers: [{ method: "auto", clockSkew: 15_000, introspection: { maxRetries: 3 } }] },
    });
  });
});

describe("a published provider loads unchanged", () => {
  test("with a warning for each thing that is not served", async () => {
    const { warnings } = await load("provider");
    expect(warnings).toEqual([
      "session.store: accepted, without effect: sessions live in the runtime's store",
      "caches: accepted, without effect: state lives in the runtime's store",
      `oidcProvider.correlateSession: ${NOT_YET}: tokens belong to no session`,
      "oidcProvider.cache: accepted, without effect: state lives in the runtime's store",
      "apps[0]: tokens for any audience of this issuer can be exchanged by it; tokenExchange.subjectAudiences names those that it may bring",
    ]);
  });

  test("and registers its clients", async () => {
    const { configuration } = await load("provider");
    const openid = ["openid", "profile", "email", "offline_access"];
    expect(configuration.apps).toMatchObject([
      {
        clientID: "gateway.clientID",
        isPublic: false,
        secrets: ["gateway.clientSecret", "gateway.nextClientSecret"],
        redirectURLs: ["https://gateway.lab/oidc-callback"],
        idps: ["keycloak"],
        grantTypes: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange"],
        accessToken: { type: "jwt", lifetime: 900_000 },
        allowedAudiences: ["https://ledger.lab/", "https://employees.lab/"],
        scopes: [...openid, "ledger:List", "ledger:Write", "employees:Read"],
        claimsMapping: { email: "keycloak.email", role: "keycloak.role" },
      },
      {
        clientID: "desktop-agent",
        isPublic: true,
        secrets: [],
        redirectURLs: ["http://127.0.0.1/callback", "com.example.agent:/callback"],
        grantTypes: ["authorization_code"],
        allowedAudiences: ["https://gateway.lab/"],
      },
      { clientID: "portal", secrets: ["portal.clientSecret"], grantTypes: [] },
    ]);
  });

  test("whose people sign in at its connector and come back where that sends them", async () => {
    const { connectors, oidcProvider } = (await load("provider")).configuration;
    expect(connectors).toMatchObject([
      { name: "keycloak", scopes: ["openid", "profile", "email"], loginRedirectURL: "https://auth.lab/callback" },
    ]);
    expect(oidcProvider?.endpoints.callback).toBe("https://auth.lab/callback");
  });

  test("at the issuer and endpoints that it names, with its key, which signs", async () => {
    const { oidcProvider } = (await load("provider")).configuration;
    expect(oidcProvider).toMatchObject({
      issuer: "https://auth.lab",
      region: "local",
      endpoints: {
        token: "https://auth.lab/token",
        introspect: "https://auth.lab/introspect",
        userinfo: "https://auth.lab/userinfo",
      },
      publicKeys: [{ kty: "RSA", alg: "RS256", use: "sig" }],
      signingKeys: [{ algorithm: "RS256", publicKey: { alg: "RS256" }, privateKey: { kty: "RSA" } }],
    });
  });
});
