import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { signsTokens } from "../../lib/authorization-server/keys/signs-tokens.ts";
import { checkAhead } from "../../lib/config/resolve.ts";
import { compiled, configurationOf, mistakes, startMistakes, warningsOf } from "./support.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const SECRET = "A".repeat(43);
const CORP =
  'connectors: [{name: corp, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://corp.example/.well-known/openid-configuration"}]\n';
const SELF = CORP.replace("https://corp.example", "https://id.example");
const OWN =
  '{name: self, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://id.example/.well-known/openid-configuration"}';
const head = (provider: string) =>
  `version: 1\nhttp: {publicURL: "https://id.example"}\noidcProvider: {region: us, apiClients: {idSecret: ${SECRET}}${provider}}\n`;
const agent = (keys: string) => `apps: [{name: a, type: oidc, clientID: a, credentials: {secrets: [s]}, ${keys}}]\n`;
const AGENT = agent('redirectURLs: ["https://a.example/cb"]');

describe("what clients may have that come by themselves", () => {
  const GATEWAY = `mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}, sse: {enabled: true, path: /sse, messagePath: /messages}}
apps:
  - name: things
    type: mcpBridge
    openapi: {spec: {uri: "https://a.example/o"}}
    authorization: {inbound: {tools: [{name: getThing, scopes: [things:read]}, {name: /.*/, scopes: [things:read, things:write]}]}}
`;

  test("is by default what it takes to use this instance's own tools", async () => {
    const { oidcProvider } = await configurationOf(head("") + CORP + GATEWAY);
    expect(oidcProvider?.registration).toEqual({
      dynamic: false,
      clientIDMetadata: true,
      connectors: ["corp"],
      allowedAudiences: ["https://id.example/mcp", "https://id.example/sse"],
      scopes: ["openid", "profile", "email", "offline_access", "things:read", "things:write"],
      defaultScopes: [],
      claimsMapping: {},
      accessToken: { type: "jwt", lifetime: 3_600_000 },
    });
    expect(oidcProvider?.grantLifetime).toBe(30 * 24 * 3_600_000);
  });

  test("is what the document says", async () => {
    const registration = `registration: {dynamic: true, clientIDMetadata: false, idps: [corp], allowedAudiences: ["https://x.example"],
      scopes: [openid, a], defaultScopes: [a], claimsMapping: {role: corp.role}, accessToken: {type: opaque, lifetime: 5m}}, grants: {lifetime: 12h}, scopeDescriptions: {a: Do a thing}`;
    const { oidcProvider } = await configurationOf(head(`, ${registration}`) + CORP + GATEWAY);
    expect(oidcProvider?.registration).toEqual({
      dynamic: true,
      clientIDMetadata: false,
      connectors: ["corp"],
      allowedAudiences: ["https://x.example"],
      scopes: ["openid", "a"],
      defaultScopes: ["a"],
      claimsMapping: { role: "corp.role" },
      accessToken: { type: "opaque", lifetime: 300_000 },
    });
    expect(oidcProvider?.grantLifetime).toBe(43_200_000);
    expect(oidcProvider?.scopeDescriptions).toEqual({ a: "Do a thing" });
  });

  test.each<[description: string, accepted: unknown]>([
    ["{en: Do a thing, de: Etwas tun}", { en: "Do a thing", de: "Etwas tun" }],
    ["{en: Do a thing}", { en: "Do a thing" }],
    ["{de: Etwas tun}", undefined],
    ["{en: Do a thing, fr: Faire}", undefined],
    ['{en: ""}', undefined],
    ["[Do a thing]", undefined],
  ])("describes a scope as %s", async (description, accepted) => {
    const configured = configurationOf(head(`, scopeDescriptions: {a: ${description}}`) + CORP + GATEWAY);
    if (accepted !== undefined) expect((await configured).oidcProvider?.scopeDescriptions).toEqual({ a: accepted });
    else await expect(configured).rejects.toThrow("oidcProvider.scopeDescriptions.a");
  });

  test.each([
    ["the only connector is this instance", "", SELF],
    ["no connector is named", ", idps: []", CORP],
    ["the connector that is named is this instance", ", idps: [self]", CORP.replace("[{", `[${OWN}, {`)],
  ])("is nothing where %s, and asking for it nevertheless is worth a word", async (_, idps, connectors) => {
    const text = head(`, registration: {dynamic: true, clientIDMetadata: true${idps}}`) + connectors;
    expect((await configurationOf(text)).oidcProvider?.registration.connectors).toEqual([]);
    const message = "accepted, without effect: there is no connector that people could sign in at";
    expect(await warningsOf(text)).toEqual([
      `oidcProvider.registration.dynamic: ${message}`,
      `oidcProvider.registration.clientIDMetadata: ${message}`,
    ]);
  });

  const KEYS = `, keySecret: ${SECRET}`;
  test.each([
    ["register themselves", "node", ", registration: {dynamic: true}", CORP, "register themselves"],
    ["come by default", "node", "", CORP, "come with metadata documents"],
    ["come where the instance can sign", "workers", KEYS, CORP, "come with metadata documents"],
    ["cannot come, as it cannot sign", "workers", "", CORP, undefined],
    ["are not accepted", "node", ", registration: {clientIDMetadata: false}", CORP, undefined],
    ["have nobody who could sign in", "node", "", SELF, undefined],
  ] as const)(
    "47. makes membership a choice that is told, where clients %s on %s",
    async (_, runtime, provider, connectors, how) => {
      const oauth = `  authorization: {oauth: {enabled: true, metadataPath: /.well-known/oauth-protected-resource, servers: [
      {wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: ["https://id.example/mcp"]}}]}}\n`;
      const told = async (gateway: string) =>
        (await warningsOf(head(provider) + connectors + gateway.replace("apps:", `${oauth}apps:`), { runtime })).filter(
          (one) => /belong/.test(one),
        );
      const message = `as clients ${how}, people must belong to the app's organization: say members: required, or any`;
      expect(await told(GATEWAY)).toEqual(how === undefined ? [] : [`apps[0].authorization.inbound: ${message}`]);
      expect(await told(GATEWAY.replace("inbound: {", "inbound: {members: any, "))).toEqual([]);
    },
  );

  test.each([
    ["registration: {idps: [crop]}", "registration.idps[0]: found"],
    ["registration: {scopes: ['a b']}", "registration.scopes[0]: found"],
    ["registration: {accessToken: {type: jws}}", "registration.accessToken.type: found"],
    ["registration: {accessToken: {lifetime: 0s}}", "registration.accessToken.lifetime: found"],
    ["grants: {lifetime: 0s}", "grants.lifetime: found"],
    ["grants: {lifetime: 30d}", "grants.lifetime: found"],
    ["keySecret: short", "keySecret: found text; accepted: at least 32 bytes as base64url"],
  ])("is refused as %s", async (keys, message) => {
    const found = await mistakes(head(`, ${keys}`) + CORP);
    expect(found).toEqual([expect.stringContaining(`oidcProvider.${message}`)]);
    expect(found.join()).not.toContain("short");
  });
});

test("every endpoint moves by its key, on the issuer's origin", async () => {
  for (const name of ["userinfo", "registration", "callback", "endSession"] as const) {
    const at = (url: string) => head(`, discovery: {endpoints: {${name}: "${url}"}}`);
    const { oidcProvider } = await configurationOf(at("https://id.example/moved"));
    expect(oidcProvider?.endpoints[name]).toBe("https://id.example/moved");
    expect(await startMistakes(at("https://elsewhere.example/moved"))).toEqual([
      expect.stringContaining(`oidcProvider.discovery.endpoints.${name}: found another origin`),
    ]);
    expect(await startMistakes(at("https://id.example/oauth2/token"))).toEqual([
      expect.stringContaining("/oauth2/token belongs to"),
    ]);
  }
});

describe.each(["workers", "lambda"] as const)("keySecret on %s", (runtime) => {
  const NEEDS_IT: readonly (readonly [why: string, yaml: string])[] = [
    ["an app signs people in", head("") + CORP + AGENT],
    [
      "an app exchanges tokens",
      head("") + agent(`grantTypes: ["${EXCHANGE}"], tokenExchange: {subjectAudiences: [a]}`),
    ],
    [
      "an app gets tokens for itself",
      head("") + agent('grantTypes: [client_credentials], allowedAudiences: ["https://a.example"]'),
    ],
    [
      "a web app gets assertions",
      `${head("")}apps: [{name: pay, type: proxy, upstream: "https://pay.example", routePatterns: [/pay], assertion: {}, policies: [{location: /, authentication: {bearer: {audiences: [pay]}}, authorization: {allowAll: true}}]}]\n`,
    ],
    ["clients register themselves", head(", registration: {dynamic: true}") + CORP],
    ["metadata documents are asked for", head(", registration: {clientIDMetadata: true}") + CORP],
  ];

  test.each(NEEDS_IT)("is required where %s", async (_, text) => {
    const message = expect.stringMatching(/oidcProvider\.keySecret: required on Workers and Lambda, because /);
    expect(await startMistakes(text, { runtime })).toEqual([message]);
    expect(await startMistakes(text)).toEqual([]);
    const with32 = text.replace("region: us", "region: us, keySecret: <a.key>");
    const configuration = await configurationOf(with32, { runtime, secrets: { S_A_KEY: SECRET } });
    expect(configuration.oidcProvider?.keySecret).toBe(SECRET);
    expect(signsTokens(configuration)).toBe(true);
  });

  test.each(NEEDS_IT)("is not where %s with a key of the document", async (_, text) => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const key = `{algorithm: ES256, publicKey: ${JSON.stringify(await exportJWK(publicKey))}, privateKey: ${JSON.stringify(await exportJWK(privateKey))}}`;
    expect(await startMistakes(text.replace("region: us", `region: us, jwks: [${key}]`), { runtime })).toEqual([]);
  });

  test.each([
    ["nothing signs", head("")],
    ["an app introspects only", head("") + agent("consent: once")],
    ["nobody can sign in", head("") + SELF + AGENT],
    [
      "an app signs in nowhere",
      head("") + CORP + agent('redirectURLs: ["https://a.example/cb"], authentication: {idps: []}'),
    ],
  ])("is not required where %s", async (_, text) => {
    expect(await startMistakes(text, { runtime })).toEqual([]);
    const configuration = await configurationOf(text, { runtime });
    expect(signsTokens(configuration)).toBe(false);
  });

  test("is not required by metadata documents that nothing asks for: they are off without, and a warning says so", async () => {
    const text = head("") + CORP;
    expect((await configurationOf(text, { runtime })).oidcProvider?.registration.clientIDMetadata).toBe(false);
    expect(await warningsOf(text, { runtime })).toEqual([
      expect.stringContaining("oidcProvider: agents cannot come with the URL of a metadata document as client id"),
    ]);
    const on = text.replace("region: us", `region: us, keySecret: ${SECRET}`);
    expect((await configurationOf(on, { runtime })).oidcProvider?.registration.clientIDMetadata).toBe(true);
    expect(await warningsOf(on, { runtime })).toEqual([]);
  });

  test("is missed before the document is deployed", async () => {
    const text = (head("") + CORP + AGENT).replace(SECRET, "<a.secret>");
    await expect(checkAhead(await compiled(text), runtime)).rejects.toThrow("oidcProvider.keySecret: required");
  });

  test("is missed before, too, where a placeholder says whether the app gets tokens", async () => {
    const app = agent('grantTypes: [client_credentials], allowedAudiences: ["https://a.example"], ALLOW');
    const text = (keys: string) => head("") + app.replace("ALLOW", keys);
    const open = await compiled(text('authorization: {allowAll: "{{ env.ALLOW }}"}'));
    await expect(checkAhead(open, runtime)).rejects.toThrow("oidcProvider.keySecret: required");
    expect(await checkAhead(open, "node")).toEqual([]);
    const never = await compiled(text('authorization: {allowAll: false}, organization: "{{ env.NAME }}"'));
    expect(await checkAhead(never, runtime)).toEqual([expect.objectContaining({ path: "apps[0]" })]);
  });
});
