import { describe, expect, test } from "vitest";
import { compiled, resolved, startMistakes } from "./support.ts";

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
const EXCHANGE = "tokenExchange: {idp: corp, audience: a}";

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

describe("an app that asks for what cannot be given", () => {
  test.each([
    ["evaluate Rego by itself (authorization.inbound.opa.rego)", inbound("opa: {rego: 'package a'}")],
    ["evaluate Rego by itself (authorization.inbound.opa.file)", inbound("opa: {file: /a.rego}")],
    [
      "evaluate Rego by itself (authorization.inbound.rules[1].opa.file)",
      inbound("rules: [{cel: 'true'}, {opa: {file: /a.rego}}]"),
    ],
    [
      "evaluate Rego by itself (authorization.inbound.opa.file)",
      "{name: a, type: mcpProxy, upstream: {stream: {url: 'https://a.example/mcp'}}, authorization: {inbound: {opa: {file: /a.rego}}}}",
    ],
  ])("is left out, and the one warning says why: it does not %s", async (why, app) => {
    const { apps, warnings } = await load(document(app));
    expect(apps).toEqual([]);
    expect(warnings).toEqual([`apps[0]: its tools are not served: this version does not ${why}`]);
  });

  test("is told every reason at once", async () => {
    const app = bridge(
      `, authorization: {inbound: {cel: 'true', opa: {file: a}, rules: [{opa: {rego: b}}]}, outbound: {type: tokenExchange, ${EXCHANGE}}}`,
    );
    expect((await load(document(app))).warnings).toEqual([
      "apps[0]: its tools are not served: this version does not evaluate Rego by itself (authorization.inbound.opa.file), evaluate Rego by itself (authorization.inbound.rules[0].opa.rego)",
    ]);
  });

  test("has no tools in the artifact either, and leaves their names to others", async () => {
    const open = ", toolNamespace: {disabled: true}";
    const text = document(bridge(`${open}, authorization: {inbound: {opa: {file: a}}}`), bridge(open, "b"));
    expect(Object.keys((await compiled(text)).catalogs)).toEqual(["b"]);
    expect((await load(text)).apps.map(({ name }) => name)).toEqual(["b"]);
  });

  test("still has its OpenAPI document and the tools that it protects checked", async () => {
    const misspelt = inbound(
      "cel: 'true', tools: [{name: getThign, scopes: [a]}], stepUp: [{tools: [getThnig], acr: a}]",
    );
    await expect(compiled(document(misspelt))).rejects.toThrow(
      /inbound\.tools\[0\]\.name: found "getThign", which matches no tool .*\n.*stepUp\[0\]\.tools\[0\]: found "getThnig"/,
    );
    const broken = "{name: a, type: mcpBridge, openapi: {spec: {data: '{'}, include: [a]}}";
    await expect(compiled(document(broken))).rejects.toThrow("the OpenAPI document is invalid");
  });

  test("is left out when only the environment says so", async () => {
    const app = inbound("opa: {file: '{{ env.POLICY }}'}");
    const { apps, warnings } = await load(document(app), { environment: { POLICY: "/a.rego" } });
    expect(apps).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("evaluate Rego by itself")]);
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
