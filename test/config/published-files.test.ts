import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileConfiguration } from "../../lib/config/compile.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { OPENAPI } from "./support.ts";

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
  const compiled = await compileConfiguration(text, { file: name, readDocument: async () => OPENAPI });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  const { configuration, warnings } = await resolveConfiguration(compiled.artifact, {
    environment: {},
    secrets: { get: async (reference) => SECRETS[reference] ?? reference },
    runtime: "node",
  });
  return { configuration, warnings: warnings.map(({ path, message }) => `${path}: ${message}`) };
}

const NOT_YET = "accepted, not yet in effect";
const NOT_SERVED = "its tools are not served: this version does not";

describe("a published gateway loads unchanged", () => {
  test("with a warning for each thing that is not served", async () => {
    const { warnings } = await load("gateway");
    expect(warnings).toEqual([
      "session.store: accepted, without effect: sessions live in the runtime's store",
      "caches: accepted, without effect: state lives in the runtime's store",
      `connectors[0].scopes: ${NOT_YET}: people do not sign in with connectors`,
      `connectors[0].disablePKCE: ${NOT_YET}: people do not sign in with connectors`,
      `connectors[0].offlineAccess: ${NOT_YET}: people do not sign in with connectors`,
      `connectors[0].oauthLoginRedirect: ${NOT_YET}: people do not sign in with connectors`,
      `connectors[0].oauthLogoutRedirect: ${NOT_YET}: people do not sign in with connectors`,
      `apps[0]: ${NOT_YET}: its routes are not served`,
      "apps[1].authorization.inbound: 1 of 1 tool of the app weather need no scope: every authenticated agent may call them",
      `apps[2]: ${NOT_SERVED} exchange tokens (authorization.outbound.tokenExchange)`,
      `apps[3]: ${NOT_SERVED} evaluate Rego by itself (authorization.inbound.opa.file)`,
      `apps[4]: ${NOT_SERVED} forward to MCP servers`,
      `apps[5]: ${NOT_SERVED} forward to MCP servers`,
      `apps[6]: ${NOT_SERVED} forward to MCP servers`,
    ]);
  });

  test("and serves the one app that asks for no protection and no credential", async () => {
    const { configuration } = await load("gateway");
    expect(configuration.apps.map(({ name }) => name)).toEqual(["weather"]);
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
      `connectors[0].scopes: ${NOT_YET}: people do not sign in with connectors`,
      `connectors[0].oauthLoginRedirect: ${NOT_YET}: people do not sign in with connectors`,
      `oidcProvider.discovery.endpoints.userinfo: ${NOT_YET}: the endpoint is not served`,
      `oidcProvider.correlateSession: ${NOT_YET}: tokens belong to no session`,
      "oidcProvider.cache: accepted, without effect: state lives in the runtime's store",
      `apps[0]: ${NOT_YET}: redirectURLs, authentication, grantTypes, accessToken, allowedAudiences, customScopes, claimsMapping; it can introspect and revoke tokens`,
      "apps[1]: its client is not registered: this version authenticates clients by secrets only",
    ]);
  });

  test("and registers the clients that can authenticate", async () => {
    const { configuration } = await load("provider");
    expect(configuration.apps).toEqual([
      {
        type: "oidc",
        name: "gateway",
        clientID: "gateway.clientID",
        secrets: ["gateway.clientSecret", "gateway.nextClientSecret"],
      },
      { type: "oidc", name: "portal", clientID: "portal", secrets: ["portal.clientSecret"] },
    ]);
  });

  test("at the issuer and endpoints that it names, with its key", async () => {
    const { oidcProvider } = (await load("provider")).configuration;
    expect(oidcProvider).toMatchObject({
      issuer: "https://auth.lab",
      region: "local",
      endpoints: { token: "https://auth.lab/token", introspect: "https://auth.lab/introspect" },
      publicKeys: [{ kty: "RSA", alg: "RS256", use: "sig" }],
    });
  });
});
