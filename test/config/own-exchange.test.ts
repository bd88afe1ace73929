import { describe, expect, test } from "vitest";
import { checkAhead } from "../../lib/config/resolve.ts";
import { compiled, warningsOf } from "./support.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const document = (client: string, exchange: string) => `version: 1
http: {publicURL: "https://gw.example"}
oidcProvider: {region: us}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers: [{wellKnownEndpoint: "https://as.example/.well-known/openid-configuration", tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]}}]
apps:
  - {name: gateway, type: oidc, clientID: gateway, credentials: {secrets: [s]}, grantTypes: ["${EXCHANGE}"], ${client}}
  - name: things
    type: mcpBridge
    openapi: {spec: {uri: "https://a.example/o"}}
    authorization: {inbound: {cel: 'true'}, outbound: {type: tokenExchange, tokenExchange: {idp: oidcProvider, ${exchange}}}}
`;
const AUDIENCE = 'allowedAudiences: ["https://api.example/"]';
const SCOPES = "customScopes: {scopes: [{name: read}]}";
const SUBJECTS = 'tokenExchange: {subjectAudiences: ["https://gw.example/mcp"]}';
const WANTED = 'audience: "https://api.example/", tools: [{name: getThing, scopes: [{name: read}]}]';

describe("an app whose calls carry a token of this very instance", () => {
  test("is not warned where its client may have that", async () => {
    expect(await warningsOf(document(`${AUDIENCE}, ${SCOPES}, ${SUBJECTS}`, WANTED))).toEqual([]);
  });

  test.each([
    ["an audience", 'allowedAudiences: ["https://api.example"]', SCOPES, SUBJECTS, "audience: .* allowedAudiences"],
    ["a scope", AUDIENCE, "consent: once", SUBJECTS, "tools\\[0\\].scopes\\[0\\].name: .* customScopes"],
    [
      "what agents bring",
      AUDIENCE,
      SCOPES,
      'tokenExchange: {subjectAudiences: ["https://gw.example/mcp/"]}',
      "idp: .*subjectAudiences",
    ],
  ])("is warned where its client may not have %s", async (_, audience, scopes, subjects, message) => {
    expect(await warningsOf(document(`${audience}, ${scopes}, ${subjects}`, WANTED))).toEqual([
      expect.stringMatching(new RegExp(`^apps\\[1\\]\\.authorization\\.outbound\\.tokenExchange\\.${message}`)),
    ]);
  });

  test("is warned where its client may not impersonate", async () => {
    const text = (more: string) =>
      document(
        `${AUDIENCE}, ${SCOPES}, tokenExchange: {subjectAudiences: ["https://gw.example/mcp"]${more}}`,
        `type: impersonation, ${WANTED}`,
      );
    expect(await warningsOf(text(""))).toEqual([expect.stringMatching(/type: .* tokenExchange\.impersonation/)]);
    expect(await warningsOf(text(", impersonation: true"))).toEqual([]);
  });
});

test.each([
  ["there is none", "none", "", /idp: the instance will not start: exactly one/],
  ["there are two", "two", "", /idp: the instance will not start: exactly one/],
  ["it is misspelt", "one", "clientID: gatway, ", /clientID: the instance will not start: it has to name/],
])(
  "what the gateway is at this very instance is checked before secrets are there: %s",
  async (_, apps, named, message) => {
    const text = document(`${AUDIENCE}, ${SCOPES}, ${SUBJECTS}`, named + WANTED).replace(
      "secrets: [s]",
      "secrets: [<a.b>]",
    );
    const second = `  - {name: desk, type: oidc, clientID: desk, credentials: {secrets: [s]}, grantTypes: ["${EXCHANGE}"], ${SUBJECTS}}\n`;
    const changed = { none: text.replace(`"${EXCHANGE}"`, ""), one: text, two: text + second }[apps] ?? "";
    const warnings = await checkAhead(await compiled(changed), "node");
    expect(warnings.map(({ path, message: said }) => `${path}: ${said}`)).toEqual([expect.stringMatching(message)]);
  },
);

test("a provider whose agents go to a gateway elsewhere is warned where it gives them no scopes for its tools", async () => {
  const provider = (scopes: string) => `version: 1
http: {publicURL: "https://id.example"}
connectors: [{name: corp, type: oidc, oauthClientID: a, oauthClientSecret: s, oidcWellKnownURL: "https://corp.example/.well-known/openid-configuration"}]
oidcProvider: {region: us, registration: {dynamic: true, allowedAudiences: ["https://gw.example/mcp"]${scopes}}}
`;
  expect(await warningsOf(provider(""))).toEqual([
    expect.stringMatching(/^oidcProvider\.registration\.allowedAudiences: agents get no scopes for tools over there/),
  ]);
  expect(await warningsOf(provider(", scopes: [openid, read]"))).toEqual([]);
});
