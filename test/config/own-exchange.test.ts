import { describe, expect, test } from "vitest";
import { mistakes, warningsOf } from "./support.ts";

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

describe("before secrets are there, what the gateway is at this very instance", () => {
  const text = (exchange: string, ...more: string[]) =>
    document(`${AUDIENCE}, ${SCOPES}, ${SUBJECTS}`, exchange + WANTED).replace("[s]", "[<a.b>]") + more.join("");
  const second = `  - {name: desk, type: oidc, clientID: desk, credentials: {secrets: [s]}, grantTypes: ["${EXCHANGE}"], ${SUBJECTS}}\n`;

  test.each([
    [
      "there is none",
      text("").replace(`"${EXCHANGE}"`, ""),
      /^17:\d+: \S+tokenExchange\.idp: needs an oidc app .* there is none$/,
    ],
    ["there are two", text("", second), /^17:\d+: \S+tokenExchange\.clientID: required: there is more than one/],
    ["it is misspelt", text("clientID: gatway, "), /^17:\d+: \S+tokenExchange\.clientID: names no oidc app/],
  ])("is a mistake where %s", async (_, written, message) => {
    expect(await mistakes(written)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    [
      "a placeholder may decide it",
      text("clientID: gatway, ").replace("clientID: gateway", 'clientID: "{{ env.ID }}"'),
    ],
  ])("is none where %s", async (_, written) => {
    expect(await mistakes(written)).toEqual([]);
  });
});

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
