import { describe, expect, test } from "vitest";
import { compiled, configurationOf, startMistakes, warningsOf } from "./support.ts";

const HEAD = `version: 1
http: {publicURL: "https://gw.example"}
connectors: [{name: corp, type: oidc, oauthClientID: a, oidcWellKnownURL: "https://corp.example/x"}]
tls: {internal: {caFile: /ca.pem}}
oidcProvider: {region: us, registration: {clientIDMetadata: false}, apiClients: {idSecret: ${"A".repeat(43)}}}
mcpProvider:
  enabled: true
  transports: {stream: {enabled: true, path: /mcp}}
  authorization:
    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers: [{wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: ["https://gw.example/mcp"]}}]
`;
const URL = "https://ledger.example/mcp";
const app = (keys = "", upstream = `stream: {url: "${URL}"}`) =>
  `{name: ledger, type: mcpProxy, upstream: {${upstream}}${keys}}`;
const inbound = (keys: string) => `, authorization: {inbound: {${keys}}}`;
const document = (...apps: string[]) => `${HEAD}apps:\n${apps.map((one) => `  - ${one}\n`).join("")}`;

async function only(text: string, input: Parameters<typeof configurationOf>[1] = {}) {
  const { apps } = await configurationOf(text, input);
  expect(apps).toHaveLength(1);
  return apps[0];
}

async function appWarnings(text: string, input: Parameters<typeof warningsOf>[1] = {}) {
  return (await warningsOf(text, input)).filter((warning) => warning.startsWith("apps"));
}

describe("an app for an MCP server", () => {
  test("is served with what the defaults say", async () => {
    expect(await only(document(app()))).toEqual({
      type: "mcpProxy",
      name: "ledger",
      namespace: "ledger_",
      transport: "stream",
      url: URL,
      connection: {},
      timeout: 30_000,
      concurrency: 100,
      shareable: false,
      inboundTools: [],
      stepUp: [],
      outbound: { type: "unprotected" },
    });
  });

  test("is served with all that can be written", async () => {
    const connection =
      "connection: {dialTimeout: 5s, keepAlive: {interval: 30s}, pool: {maxIdleConns: 100, maxIdleConnsPerHost: 10}}";
    const upstream = `transport: sse, sse: {url: "https://ledger.example/sse", tls: internal, ${connection}}, timeout: 2m, concurrency: 7, headers: {X-User: "{{ user.sub }}"}, shareable: true`;
    const authorization = `authorization: {inbound: {cel: 'true', tools: [{name: /get.*/, scopes: [read]}], stepUp: [{tools: [pay], acr: strong, maxAge: 5m}]}, outbound: {type: tokenExchange, tokenExchange: {idp: corp, audience: a, tools: [{name: pay, ttl: 5s, scopes: [{name: write}]}]}}}`;
    const text = document(
      app(
        `, toolNamespace: {name: books.}, organization: acme, tools: {include: [/.*/], exclude: [drop]}, ${authorization}`,
        upstream,
      ),
    );
    expect(await only(text)).toEqual({
      type: "mcpProxy",
      name: "ledger",
      organization: "acme",
      namespace: "books.",
      transport: "sse",
      url: "https://ledger.example/sse",
      tls: "internal",
      connection: { dialTimeout: 5_000, keepAliveInterval: 30_000, maxIdleConns: 100, maxIdleConnsPerHost: 10 },
      timeout: 120_000,
      concurrency: 7,
      shareable: true,
      include: ["/.*/"],
      exclude: ["drop"],
      headers: [{ name: "x-user", parts: [{ user: "sub" }] }],
      inboundTools: [{ name: "/get.*/", scopes: ["read"] }],
      policies: [{ engine: "cel", name: "cel", expression: "true" }],
      stepUp: [{ tools: ["pay"], acr: ["strong"], maxAge: 300_000 }],
      outbound: {
        type: "tokenExchange",
        mode: "delegation",
        idp: "corp",
        audience: "a",
        tools: [{ name: "pay", ttl: 5_000, scopes: ["write"] }],
      },
    });
    expect(await appWarnings(text)).toEqual([]);
  });

  test("has no namespace where that is disabled, whatever its name", async () => {
    expect(await only(document(app(", toolNamespace: {disabled: true, name: x_}")))).toMatchObject({ namespace: "" });
  });

  test("stands in the order of the document, beside REST APIs", async () => {
    const bridge = `{name: things, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}}`;
    const { apps } = await configurationOf(document(app(), bridge, app().replace("ledger", "second")));
    expect(apps.map(({ name }) => name)).toEqual(["ledger", "things", "second"]);
  });

  test("takes its URL, limit and headers from the environment and from secrets", async () => {
    const upstream = `stream: {url: "{{ env.LEDGER }}"}, concurrency: "{{ env.MOST }}", headers: {Authorization: "Bearer <ledger.token>"}`;
    const input = { environment: { LEDGER: URL, MOST: "3" }, secrets: { S_LEDGER_TOKEN: "hunter2" } };
    expect(await only(document(app("", upstream)), input)).toMatchObject({
      url: URL,
      concurrency: 3,
      headers: [
        { name: "authorization", parts: [{ text: "Bearer " }, { text: "hunter2", isSecret: true }], isSecret: true },
      ],
    });
  });

  test("is in the artifact for the edges, and served there", async () => {
    const text = document(app());
    expect(JSON.stringify((await compiled(text)).document)).toContain(URL);
    for (const runtime of ["workers", "lambda"] as const) {
      expect(await only(text, { runtime })).toMatchObject({ name: "ledger", url: URL });
    }
  });

  test("asks for its inbound scopes of clients that register themselves", async () => {
    const { oidcProvider } = await configurationOf(
      document(app(inbound("tools: [{name: pay, scopes: ['ledger:Pay']}]"))),
    );
    expect(oidcProvider?.registration.scopes).toContain("ledger:Pay");
  });

  test("may protect tools that nobody knows of at start", async () => {
    const text = document(app(inbound("tools: [{name: nobodyKnows, scopes: [a]}], stepUp: [{tools: [nor], acr: b}]")));
    expect(await startMistakes(text)).toEqual([]);
  });

  test("is not this gateway itself, whose calls would never end", async () => {
    const own = (url: string) => startMistakes(document(app("", `stream: {url: "${url}"}`)));
    expect(await own("https://gw.example:443/mcp")).toEqual([
      expect.stringContaining("apps[0].upstream.stream.url: is this gateway's own endpoint"),
    ]);
    expect(await own("https://gw.example/other/mcp")).toEqual([]);
  });
});

describe("what starting says of an MCP server", () => {
  const OPEN = "need no scope: every authenticated agent may call them";

  test.each([
    ["any tool", "", `tools that no entry with scopes names of the app ledger ${OPEN}`],
    [
      "those that an entry without scopes names",
      inbound("tools: [{name: pay, scopes: [a]}, {name: /.*/, scopes: []}]"),
      `tools that no entry with scopes names of the app ledger ${OPEN}`,
    ],
    [
      "some of those that are offered",
      `, tools: {include: [pay, list, drop], exclude: [/d.*/]}${inbound("tools: [{name: pay, scopes: [a]}, {name: list, scopes: []}]")}`,
      `1 of 2 tools of the app ledger ${OPEN}`,
    ],
  ])("every agent may call %s", async (_, keys, message) => {
    expect(await appWarnings(document(app(keys)))).toEqual([`apps[0].authorization.inbound: ${message}`]);
  });

  test("nobody may call what no entry names beside others", async () => {
    const keys = `, tools: {include: [pay, list]}${inbound("cel: 'true', tools: [{name: pay, scopes: [a]}]")}`;
    expect(await appWarnings(document(app(keys)))).toEqual([
      "apps[0].authorization.inbound: 1 of 2 tools of the app ledger match no entry of tools: nobody may call them",
    ]);
  });

  test.each([
    ["some names have scopes, and others match no entry", inbound("tools: [{name: pay, scopes: [a]}]")],
    ["every name has scopes", inbound("tools: [{name: /.*/, scopes: [a]}]")],
    ["there is a policy", inbound("cel: 'true'")],
    ["each that is offered has scopes", `, tools: {include: [pay]}${inbound("tools: [{name: pay, scopes: [a]}]")}`],
  ])("nothing where %s", async (_, keys) => {
    expect(await appWarnings(document(app(keys)))).toEqual([]);
  });

  test("the transport that is not taken has no effect", async () => {
    const both = `stream: {url: "${URL}"}, sse: {url: "https://ledger.example/sse"}`;
    const shown = (upstream: string) => appWarnings(document(app(inbound("cel: 'true'"), upstream)));
    expect(await shown(both)).toEqual(["apps[0].upstream.sse: accepted, without effect: upstream.transport is stream"]);
    expect(await shown(`transport: sse, ${both}`)).toEqual([
      "apps[0].upstream.stream: accepted, without effect: upstream.transport is sse",
    ]);
  });

  test("connections take no settings on Workers, and cannot present a certificate there", async () => {
    const settings = `stream: {url: "${URL}", connection: {dialTimeout: 5s}}`;
    const text = document(app(inbound("cel: 'true'"), settings));
    expect(await appWarnings(text, { runtime: "workers" })).toEqual([
      "apps[0].upstream.stream.connection: without effect: connections on Workers take no settings",
    ]);
    expect(await appWarnings(text, { runtime: "lambda" })).toEqual([]);
    for (const transport of ["stream", "sse"]) {
      const secured = document(app("", `transport: ${transport}, ${transport}: {url: "${URL}", tls: internal}`));
      expect(await startMistakes(secured, { runtime: "lambda" })).toEqual([]);
      expect(await startMistakes(secured, { runtime: "workers" })).toEqual([
        expect.stringContaining(`apps[0].upstream.${transport}.tls: connections on Workers have no TLS settings`),
      ]);
    }
  });
});
