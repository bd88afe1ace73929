import { describe, expect, test } from "vitest";
import { compiled, mistakes, resolved, startMistakes } from "./support.ts";

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

const bridge = (keys: string, name = "a") =>
  `{name: ${name}, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}${keys}}`;
const curated = (keys: string) => `{name: a, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}, ${keys}}}`;
const inbound = (keys: string) => bridge(`, authorization: {inbound: {${keys}}}`);
const outbound = (keys: string) => bridge(`, authorization: {outbound: {${keys}}}`);
const upstream = (keys: string) => bridge(`, upstream: {${keys}}`);
const document = (...apps: string[]) => `${HEAD}apps:\n${apps.map((app) => `  - ${app}\n`).join("")}`;

async function load(text: string, input: Parameters<typeof resolved>[1] = {}) {
  const { configuration, warnings } = await resolved(text, input);
  return {
    apps: configuration.apps,
    warnings: warnings.filter(({ path }) => path.startsWith("apps")).map(({ path, message }) => `${path}: ${message}`),
  };
}

describe("a policy in Rego", () => {
  const proxied = (keys: string) =>
    `{name: a, type: mcpProxy, upstream: {stream: {url: 'https://a.example/mcp'}}, authorization: {inbound: {${keys}}}}`;

  test.each([
    ["text", inbound("opa: {rego: 'package orchestrator'}"), { name: "opa", data: {} }],
    ["a file", inbound("opa: {file: a.rego, data: limits.json}"), { name: "opa", data: { limit: 1_000 } }],
    ["a plan", proxied("opa: {plan: a.tar.gz, name: mine}"), { name: "mine" }],
    ["a rule", inbound("rules: [{opa: {file: a.rego, list: true}}]"), { name: "rules[0].opa", list: true }],
  ])("is evaluated by its plan: %s", async (_, app, settings) => {
    const { apps } = await load(document(app));
    expect(apps).toMatchObject([
      {
        name: "a",
        policies: [{ engine: "opa", plan: { plans: expect.anything() }, forwardToken: false, ...settings }],
      },
    ]);
  });

  test("is one of its own for each place, also where packages have one name", async () => {
    const { policies = {} } = await compiled(
      document(inbound("opa: {file: a.rego}, rules: [{cel: 'true'}, {opa: {rego: 'package orchestrator'}}]")),
    );
    expect(Object.keys(policies.a ?? {})).toEqual(["opa", "rules[1].opa"]);
  });

  test.each([
    ["nothing is named", "opa: {timeout: 1s}", "found none of url, rego, file and plan; accepted: exactly one"],
    [
      "two are named",
      "opa: {file: a, plan: b}",
      "found file and plan; accepted: exactly one of url, rego, file or plan",
    ],
    [
      "data stands beside a server",
      "opa: {url: 'http://a.example', data: b.json}",
      "stands beside url; accepted: beside",
    ],
    ["the file is a placeholder", "opa: {file: '{{ env.POLICY }}'}", "found a placeholder; accepted: a value that"],
    [
      "the entrypoint is none of the plan",
      "opa: {file: a, entrypoint: a/b}",
      'the plan has no entrypoint "a/b"; it has',
    ],
    ["the entrypoint is no path", "opa: {file: a, entrypoint: data.a}", "a path such as orchestrator/result"],
  ])("is a mistake where %s", async (_, keys, message) => {
    expect(await mistakes(document(inbound(keys)))).toContainEqual(expect.stringContaining(message));
  });

  test.each([
    [
      "the header that it is not shown",
      "rego: 'x := input.request.http.headers.Authorization'",
      "reads the Authorization",
    ],
    [
      "a part of a text of scopes",
      "rego: 'x if contains(claims.scope, \"pii:read\")'",
      "finds a part of another scope",
    ],
  ])("is warned about where it reads %s", async (_, keys, words) => {
    expect((await load(document(inbound(`opa: {${keys}}`)))).warnings).toEqual([expect.stringContaining(words)]);
    expect((await load(document(inbound("opa: {rego: 'package a', forwardToken: true}")))).warnings).toEqual([]);
  });
});

describe("an app that asks for nothing", () => {
  test.each([
    ["empty policies", inbound("rules: [], stepUp: []")],
    ["empty curation", curated("include: [], exclude: [], overrides: {}")],
    ["calls without credential", outbound("type: unprotected")],
    ["nothing else", bridge("")],
  ])("is served: %s", async (_, app) => {
    const { apps, warnings } = await load(document(app));
    expect(apps).toMatchObject([{ name: "a", type: "mcpBridge", outbound: { type: "unprotected" } }]);
    expect(warnings).toEqual([expect.stringContaining("need no scope")]);
  });

  test("may ask for pooled sessions, which REST APIs do not have", async () => {
    const { apps, warnings } = await load(document(upstream("shareable: true")));
    expect(apps).toHaveLength(1);
    expect(warnings).toContain("apps[0].upstream.shareable: accepted, without effect: REST APIs have no sessions");
  });
});

describe("policies of an app", () => {
  test("are the app's, in the order of their keys, and its tools are not open", async () => {
    const policies = "cel: 'true', opa: {name: a, url: 'http://opa.example/v1/data/a'}";
    const rules =
      "rules: [{opa: {url: 'http://opa.example/b', timeout: 2s, forwardToken: true, list: true}}, {cel: '!false'}]";
    const { apps, warnings } = await load(document(inbound(`${policies}, ${rules}`)));
    expect(warnings).toEqual([]);
    const url = "http://opa.example/b";
    expect(apps).toMatchObject([
      {
        policies: [
          { engine: "cel", name: "cel", expression: "true" },
          { engine: "opa", name: "a", timeout: 500, forwardToken: false, list: false },
          { engine: "opa", name: "rules[0].opa", url, timeout: 2_000, forwardToken: true, list: true },
          { engine: "cel", name: "rules[1].cel", expression: "!false" },
        ],
      },
    ]);
  });
});

describe("TLS settings of an upstream", () => {
  const text = document(upstream("tls: internal"));

  test.each(["node", "lambda"] as const)("are the app's on %s", async (runtime) => {
    expect((await load(text, { runtime })).apps).toMatchObject([{ name: "a", tls: "internal" }]);
  });

  test("are a mistake on Workers, which have none", async () => {
    expect(await startMistakes(text, { runtime: "workers" })).toEqual([
      expect.stringContaining("apps[0].upstream.tls: connections on Workers have no TLS settings of their own"),
    ]);
  });
});

test("an app of a gateway that is off is pointed out, also one of an MCP server", async () => {
  const text = "version: 1\napps: [{name: a, type: mcpProxy, upstream: {stream: {url: 'https://a.example/mcp'}}}]";
  expect((await load(text)).warnings).toContain("apps: MCP apps need mcpProvider.enabled: true");
});
