import { expect, test } from "vitest";
import { configuredStateSecret, stateSecretOf } from "../../../lib/upstream/request-state/sealed-state.ts";
import { configurationOf, startMistakes } from "../../config/support.ts";

const SECRET = "A".repeat(43);
const OTHER = `${"B".repeat(42)}A`;

function document(keys: string, provider = ""): string {
  return `version: 1
http: {publicURL: "https://gw.example"}
${provider}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization: {oauth: {enabled: true, metadataPath: /.well-known/oauth-protected-resource, servers: [{wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]}}]}}
  ${keys}
apps: [{name: ledger, type: mcpProxy, upstream: {stream: {url: "https://ledger.example/mcp"}}}]
`;
}

const PROVIDER = `oidcProvider: {region: us, apiClients: {idSecret: ${OTHER}}}`;

test.each(["workers", "lambda"] as const)(
  "30. instances on %s share a secret, their own or that of client ids",
  async (runtime) => {
    expect(await startMistakes(document(""), { runtime })).toEqual([
      expect.stringContaining("mcpProvider.stateSecret: required on Workers and Lambda with an app of type mcpProxy"),
    ]);
    for (const text of [document(`stateSecret: ${SECRET}`), document("", PROVIDER)])
      expect(await startMistakes(text, { runtime })).toEqual([]);
  },
);

test.each(["workers", "lambda"] as const)("60. so do they where people sign in for web apps on %s", async (runtime) => {
  const webApp = (authentication: string, keys = "") => `version: 1
http: {publicURL: "https://gw.example"}
${keys}
connectors: [{name: corp, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://corp.example/.well-known/openid-configuration"}]
apps: [{name: pay, type: proxy, upstream: "https://pay.example", routePatterns: [/pay], policies: [{location: /, authentication: ${authentication}, authorization: {allowAll: true}}]}]
`;
  const text = webApp("{idps: [corp]}");
  expect(await startMistakes(text, { runtime })).toEqual([
    expect.stringMatching(
      /mcpProvider\.stateSecret: required on Workers and Lambda with an app of type proxy that signs people in; accepted: at least 32 bytes as base64url/,
    ),
  ]);
  expect(await startMistakes(text)).toEqual([]);
  expect(await startMistakes(webApp("{allowUnauthenticated: true}"), { runtime })).toEqual([]);
  expect(await startMistakes(webApp("{idps: [corp]}", PROVIDER), { runtime })).toEqual([]);
  // The gateway itself may be off.
  const configuration = await configurationOf(
    webApp("{idps: [corp]}", `mcpProvider: {enabled: false, stateSecret: ${SECRET}}`),
    {
      runtime,
    },
  );
  expect(configuration.mcpProvider).toBeUndefined();
  expect(configuredStateSecret(configuration)).toEqual(new Uint8Array(32));
});

test("30. the secret is the one that is written, else that of client ids; on Node there may be none", async () => {
  const secretOf = async (text: string) => configuredStateSecret(await configurationOf(text));
  expect(await secretOf(document(`stateSecret: ${SECRET}`, PROVIDER))).toEqual(new Uint8Array(32));
  expect((await secretOf(document("", PROVIDER)))?.[0]).toBe(4);
  expect(await secretOf(document(""))).toBeUndefined();
  await expect(startMistakes(document("stateSecret: short"), {})).rejects.toThrow("mcpProvider.stateSecret");
});

test("30. a gateway that was enabled after the start seals with the secret that its configuration has", async () => {
  const configuration = await configurationOf(document(`stateSecret: ${SECRET}`));
  const secret = stateSecretOf({ stateSecret: undefined, configuration: () => ({ revision: 2, configuration }) });
  expect(secret).toEqual(new Uint8Array(32));
});
