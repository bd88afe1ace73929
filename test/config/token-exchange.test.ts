import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes } from "./support.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const client = (id: string, grants = `grantTypes: ["${EXCHANGE}"], tokenExchange: {subjectAudiences: [a]}`) =>
  `{name: ${id}, type: oidc, clientID: ${id}, credentials: {secrets: [s]}, ${grants}}`;
const bridge = (exchange: string) =>
  `{name: things, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}, authorization: {inbound: {cel: 'true'}, outbound: {type: tokenExchange, tokenExchange: {audience: "https://api.example/", ${exchange}}}}}`;
const GATEWAY = `version: 1
http: {publicURL: "https://gw.example"}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers: [{wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]}}]
`;
const connector = (origin: string) =>
  `connectors: [{name: as, type: oidc, oauthClientID: gateway, oauthClientSecret: s, oidcWellKnownURL: "${origin}/.well-known/openid-configuration"}]\n`;
const document = (apps: readonly string[], rest = `${connector("https://as.example")}oidcProvider: {region: us}\n`) =>
  `${GATEWAY}${rest}apps: [${apps.join(", ")}]`;

async function outboundOf(text: string) {
  const app = (await configurationOf(text)).apps.find(({ type }) => type === "mcpBridge");
  return app?.type === "mcpBridge" ? app.outbound : undefined;
}

describe("token exchange toward an upstream", () => {
  test("names a connector's server, audience, mode and what each tool gets", async () => {
    const tools = "tools: [{name: getThing, ttl: 5s, scopes: [{name: a}, {name: b}]}, {name: /.*/}]";
    const text = document([bridge(`idp: as, type: impersonation, ${tools}`)], connector("https://as.example"));
    expect(await outboundOf(text)).toEqual({
      type: "tokenExchange",
      mode: "impersonation",
      idp: "as",
      audience: "https://api.example/",
      tools: [
        { name: "getThing", ttl: 5_000, scopes: ["a", "b"] },
        { name: "/.*/", ttl: 60_000, scopes: [] },
      ],
    });
  });

  test("is delegation by default, at this very instance as the only app that may", async () => {
    const text = document([client("gateway"), client("other", "consent: once"), bridge("idp: oidcProvider")]);
    expect(await outboundOf(text)).toEqual({
      type: "tokenExchange",
      mode: "delegation",
      idp: "oidcProvider",
      clientID: "gateway",
      audience: "https://api.example/",
      tools: [],
    });
  });

  test("at this very instance names its app where several may", async () => {
    const apps = [client("first"), client("second")];
    expect(await mistakes(document([...apps, bridge("idp: oidcProvider")]))).toEqual([
      expect.stringContaining(
        "apps[2].authorization.outbound.tokenExchange.clientID: required: there is more than one oidc app",
      ),
    ]);
    const text = document([...apps, bridge("idp: oidcProvider, clientID: second")]);
    expect(await outboundOf(text)).toMatchObject({ clientID: "second" });
  });

  test.each([
    ["needs an app that may", ["idp: oidcProvider"], "tokenExchange.idp: needs an oidc app with the grant type"],
    [
      "needs that the app which it names may",
      ["idp: oidcProvider, clientID: other"],
      "tokenExchange.clientID: names no oidc app with the grant type",
    ],
  ])("at this very instance %s", async (_, [exchange = ""], message) => {
    const text = document([client("other", "consent: once"), bridge(exchange)]);
    expect(await mistakes(text)).toEqual([expect.stringContaining(message)]);
  });

  test("needs the provider that it names, and names a client nowhere else", async () => {
    const remote = connector("https://as.example");
    expect(await mistakes(document([bridge("idp: oidcProvider")], remote))).toEqual([
      expect.stringContaining('tokenExchange.idp: found "oidcProvider", which is not the name of a connector'),
    ]);
    expect(await mistakes(document([bridge("idp: as, clientID: gateway")], remote))).toEqual([
      expect.stringContaining("tokenExchange.clientID: needs idp: oidcProvider"),
    ]);
  });

  test("at a connector that is this very instance needs its client among the apps", async () => {
    const own = `${connector("https://gw.example")}oidcProvider: {region: us}\n`;
    expect(await outboundOf(document([client("gateway"), bridge("idp: as")], own))).toMatchObject({ idp: "as" });
    for (const apps of [[client("another")], [client("gateway", "consent: once")], []]) {
      expect(await startMistakes(document([...apps, bridge("idp: as")], own))).toEqual([
        expect.stringContaining("tokenExchange.idp: this connector is the instance itself, which has no oidc app"),
      ]);
    }
  });
});

describe("a stronger sign-in for some tools", () => {
  const stepUp = (entries: string) =>
    document([
      `{name: things, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}, authorization: {inbound: {cel: 'true', stepUp: [${entries}]}}}`,
    ]);

  test("is asked for by acr, by age or by both", async () => {
    const text = stepUp(
      "{tools: [getThing], acr: high, maxAge: 5m}, {tools: [/get.*/], acr: [a, b]}, {tools: [/.*/], maxAge: 0s}",
    );
    const app = (await configurationOf(text)).apps[0];
    expect(app).toMatchObject({
      stepUp: [
        { tools: ["getThing"], acr: ["high"], maxAge: 300_000 },
        { tools: ["/get.*/"], acr: ["a", "b"] },
        { tools: ["/.*/"], maxAge: 0 },
      ],
    });
  });

  test.each([
    ["asks for nothing", "{tools: [getThing]}", "stepUp[0]: found neither acr nor maxAge"],
    ["is of no tool", "{tools: [], acr: a}", "stepUp[0].tools: found an empty list"],
    ["is of a tool that is not there", "{tools: [getThings], acr: a}", 'stepUp[0].tools[0]: found "getThings"'],
    ["has no acr in its list", "{tools: [getThing], acr: []}", "stepUp[0].acr: found"],
    ["has an age that is none", "{tools: [getThing], maxAge: 5}", "stepUp[0].maxAge: found the number 5"],
  ])("is a mistake where it %s", async (_, entry, message) => {
    expect(await mistakes(stepUp(entry))).toEqual([expect.stringContaining(message)]);
  });

  test("10. may come from a placeholder", async () => {
    expect(await mistakes(stepUp('{tools: [getThing], acr: "{{ env.ACR }}"}'))).toEqual([]);
  });
});
