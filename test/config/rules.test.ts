import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, resolved, startMistakes } from "./support.ts";

const stream = (keys: string) => `version: 1\nmcpProvider: {enabled: true, transports: {stream: {${keys}}}}`;
const sse = (keys: string) => `version: 1\nmcpProvider: {enabled: true, transports: {sse: {${keys}}}}`;
const oauth = (keys: string) => `version: 1\nmcpProvider: {enabled: true, authorization: {oauth: {${keys}}}}`;
const server = (validation: string) =>
  oauth(`servers: [{wellKnownEndpoint: "https://as.example/x", tokenValidation: {${validation}}}]`);
const INTROSPECTION = "clientID: a, clientSecret: b, timeout: 5s";

/** Documents that break one rule of `mcpProvider`, with the path and the words that must come back. */
const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  ["enabled is required", "version: 1\nmcpProvider: {serverName: a}", "mcpProvider.enabled", "required"],
  ["stream.path is required when stream is on", stream("enabled: true"), "transports.stream.path", "required when"],
  ["an alias with another path is refused", stream("path: /a, endpointPath: /b"), "endpointPath", "differs from path"],
  [
    "session.timeout must be positive when sessions are on",
    stream("session: {enabled: true, timeout: 0s}"),
    "session.timeout",
    "positive",
  ],
  [
    "session.headerName is a header's name",
    stream("session: {headerName: 'a b'}"),
    "session.headerName",
    "a header name",
  ],
  [
    "allowedHosts holds hosts",
    "version: 1\nmcpProvider: {enabled: true, allowedHosts: ['https://a.example']}",
    "allowedHosts[0]",
    "a host with or without a port",
  ],
  [
    "session.headerName may not be empty",
    stream('session: {enabled: true, headerName: ""}'),
    "session.headerName",
    "empty",
  ],
  [
    "keepAlive.interval must be positive when on",
    sse("keepAlive: {enabled: true, interval: 0ms}"),
    "keepAlive.interval",
    "positive",
  ],
  [
    "keepAlive.interval is one that a timer can wait for",
    sse("keepAlive: {enabled: true, interval: 600h}"),
    "keepAlive.interval",
    "at most 24 days",
  ],
  ["metadataPath is required when OAuth is on", oauth("enabled: true"), "oauth.metadataPath", "required when"],
  ["OAuth needs a server", oauth("enabled: true, metadataPath: /m"), "oauth.servers", "at least one server"],
  [
    "wellKnownEndpoint is required",
    oauth("servers: [{tokenValidation: {expectedAudiences: [a]}}]"),
    "servers[0].wellKnownEndpoint",
    "required",
  ],
  [
    "tokenValidation is required",
    oauth('servers: [{wellKnownEndpoint: "https://as.example/x"}]'),
    "servers[0].tokenValidation",
    "required",
  ],
  [
    "refreshInterval must be positive",
    oauth(
      'servers: [{wellKnownEndpoint: "https://a.example/", refreshInterval: 0s, tokenValidation: {expectedAudiences: [a]}}]',
    ),
    "servers[0].refreshInterval",
    "positive",
  ],
  ["expectedAudiences is required", server("method: jwt"), "tokenValidation.expectedAudiences", "required"],
  ["expectedAudiences holds one at least", server("expectedAudiences: []"), "expectedAudiences", "at least one"],
  ["a method is one of three", server("expectedAudiences: [a], method: magic"), "method", "jwt, introspection, auto"],
  ...["introspection", "auto"].flatMap((method): (typeof BROKEN)[number][] => [
    [
      `clientID is required with ${method}`,
      server(`expectedAudiences: [a], method: ${method}, introspection: {clientSecret: b, timeout: 5s}`),
      "introspection.clientID",
      `required when method is ${method}`,
    ],
    [
      `clientSecret is required with ${method}`,
      server(`expectedAudiences: [a], method: ${method}, introspection: {clientID: a, timeout: 5s}`),
      "introspection.clientSecret",
      `required when method is ${method}`,
    ],
    [
      `timeout is required with ${method}`,
      server(`expectedAudiences: [a], method: ${method}, introspection: {clientID: a, clientSecret: b}`),
      "introspection.timeout",
      `required when method is ${method}`,
    ],
    [
      `timeout must be positive with ${method}`,
      server(`expectedAudiences: [a], method: ${method}, introspection: {clientID: a, clientSecret: b, timeout: 0s}`),
      "introspection.timeout",
      "positive",
    ],
  ]),
];

describe("rules of mcpProvider", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found.filter((line) => line.includes(`${path}: `) && line.includes(message))).toHaveLength(1);
  });

  test("the SSE transport needs both of its paths", async () => {
    expect(await mistakes(sse("enabled: true"))).toEqual([
      expect.stringContaining("transports.sse.path: required when the SSE transport is enabled"),
      expect.stringContaining("transports.sse.messagePath: required when the SSE transport is enabled"),
    ]);
    expect(
      await mistakes(sse("enabled: true, path: /sse, messagePath: /messages, keepAlive: {enabled: true}")),
    ).toEqual([]);
  });

  test("both transports and sessions have defaults", async () => {
    const both = `sse: {enabled: true, path: /sse, messagePath: /messages}, stream: {enabled: true, path: /mcp, session: {enabled: true}}`;
    const { configuration, warnings } = await resolved(
      `version: 1\nmcpProvider: {enabled: true, transports: {${both}}}`,
    );
    expect(warnings).toEqual([expect.objectContaining({ message: expect.stringContaining("OAuth is off") })]);
    const hour = 3_600_000;
    const { mcpProvider } = configuration;
    expect(mcpProvider?.stream).toMatchObject({
      path: "/mcp",
      session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: hour },
    });
    expect(mcpProvider?.sse).toMatchObject({ path: "/sse", messagePath: "/messages", timeout: hour });
    expect(mcpProvider?.sse).not.toHaveProperty("keepAlive");
  });

  test.each([
    ["required: false", true],
    ["required: true", undefined],
    ["timeout: 1h", undefined],
  ])("of a session with %s requests without an id are refused, or not", async (key, isOptional) => {
    const text = `version: 1\nmcpProvider: {enabled: true, transports: {stream: {enabled: true, path: /mcp, session: {enabled: true, ${key}}}}}`;
    expect((await configurationOf(text)).mcpProvider?.stream?.session?.isOptional).toBe(isOptional);
  });

  test("the base path stands in front of both paths of the SSE transport", async () => {
    const sse =
      "sse: {enabled: true, basePath: /legacy/, path: /sse, messagePath: /messages, keepAlive: {enabled: true}}";
    const { mcpProvider } = await configurationOf(`version: 1\nmcpProvider: {enabled: true, transports: {${sse}}}`);
    expect(mcpProvider?.sse).toMatchObject({ path: "/legacy/sse", messagePath: "/legacy/messages", keepAlive: 30_000 });
  });

  test.each(["Authorization", "host", "Mcp-Method", "content-length", "X-Forwarded-For", "User-Agent"])(
    "the session header cannot be %s, which has a meaning of its own",
    async (headerName) => {
      expect(
        await mistakes(stream(`enabled: true, path: /mcp, session: {enabled: true, headerName: ${headerName}}`)),
      ).toEqual([expect.stringContaining("session.headerName: found")]);
    },
  );

  test("the SSE transport is a mistake on Lambda", async () => {
    const text = `version: 1\nhttp: {publicURL: "https://gw.example"}\nmcpProvider: {enabled: true, transports: {sse: {enabled: true, path: /sse, messagePath: /m}}}`;
    expect(await startMistakes(text, { runtime: "lambda" })).toEqual([
      expect.stringContaining("transports.sse.enabled: found true; accepted: false on Lambda"),
    ]);
    expect(await startMistakes(text, { runtime: "workers" })).toEqual([]);
  });

  test("rules for what is off do not apply", async () => {
    expect(await mistakes(stream("session: {enabled: false, timeout: 0s}"))).toEqual([]);
    expect(await mistakes(sse("enabled: false, keepAlive: {enabled: false, interval: 0s}"))).toEqual([]);
    expect(await mistakes(server("expectedAudiences: [a], introspection: {timeout: 0s}"))).toEqual([]);
  });

  test("endpointPath is another name of path", async () => {
    const { mcpProvider } = await configurationOf(stream("enabled: true, endpointPath: /agents"));
    expect(mcpProvider?.stream).toEqual({ path: "/agents", resource: "http://127.0.0.1:8080/agents" });
  });

  test("a placeholder satisfies a required key", async () => {
    expect(await mistakes(stream('enabled: true, path: "{{ env.MCP_PATH }}"'))).toEqual([]);
    const secret = "introspection: {clientID: a, clientSecret: <a.b>, timeout: 5s}";
    expect(await mistakes(server(`expectedAudiences: [a], method: auto, ${secret}`))).toEqual([]);
  });

  test("23. at most one server that introspects has no token prefix, and prefixes differ", async () => {
    const two = (first: string, second: string) =>
      oauth(
        `servers: [${[first, second]
          .map(
            (prefix) =>
              `{wellKnownEndpoint: "https://as.example/x", tokenValidation: {expectedAudiences: [a], method: introspection, introspection: {${INTROSPECTION}${prefix}}}}`,
          )
          .join(", ")}]`,
      );
    expect(await mistakes(two("", ", tokenPrefix: a_"))).toEqual([]);
    expect(await mistakes(two("", ""))).toEqual([expect.stringContaining("servers[1].tokenValidation.introspection")]);
    expect(await mistakes(two(", tokenPrefix: a_", ", tokenPrefix: a_"))).toEqual([
      expect.stringContaining("a token prefix that stands above already"),
    ]);
  });
});

describe("rules of apps", () => {
  const bridge = (name: string, extra = "") =>
    `{name: ${name}, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}${extra}}`;
  const apps = (...list: string[]) => `version: 1\napps: [${list.join(", ")}]`;

  test("names and client IDs are unique", async () => {
    const client = (name: string) => `{name: ${name}, type: oidc, clientID: c, credentials: {secrets: [s]}}`;
    expect(await mistakes(apps(client("a"), client("a")))).toEqual([
      expect.stringContaining("apps[1].name: found an app name that stands above already"),
      expect.stringContaining("apps[1].clientID: found a client ID that stands above already"),
    ]);
  });

  test("an OpenAPI document comes from exactly one place", async () => {
    const spec = (keys: string) => apps(`{name: a, type: mcpBridge, openapi: {spec: {${keys}}}}`);
    expect(await mistakes(spec(""))).toEqual([expect.stringContaining("found neither of uri and data")]);
    expect(await mistakes(spec("uri: 'https://a.example', data: '{}'"))).toEqual([
      expect.stringContaining("found both of uri and data"),
    ]);
    for (const uri of ["http://a.example/", "three0.yaml"]) {
      const found = await mistakes(spec(`uri: '${uri}'`));
      expect(found).toEqual([expect.stringContaining(`found "${uri}"; accepted: a file:// or https:// URL`)]);
    }
    expect(await mistakes(spec("data: '{'"))).toEqual([expect.stringContaining("the OpenAPI document is invalid")]);
  });

  test("what is needed at build time cannot come from the environment", async () => {
    expect(
      await mistakes(apps(`{name: "{{ env.N }}", type: mcpBridge, openapi: {spec: {uri: "{{ env.U }}"}}}`)),
    ).toEqual([
      expect.stringContaining("apps[0].name: found a placeholder; accepted: a value that is known at build time"),
      expect.stringContaining("apps[0].openapi.spec.uri: found a placeholder"),
    ]);
  });

  test("the same tool name in two apps is refused when namespaces are off", async () => {
    const open = ", toolNamespace: {disabled: true}";
    expect(await mistakes(apps(bridge("a"), bridge("b")))).toEqual([]);
    expect(await mistakes(apps(bridge("a", open), bridge("b", open)))).toEqual([
      expect.stringContaining("apps[1]: the tool getThing exists in the app a already"),
    ]);
  });

  describe("a namespace", () => {
    const server = (name: string, extra = "") =>
      `{name: ${name}, type: mcpProxy, upstream: {stream: {url: "https://b.example/mcp"}}${extra}}`;
    const named = (namespace: string, more = "") => `, toolNamespace: {name: ${namespace}}${more}`;

    test.each([
      ["as both write it", server("a", named("x_")), server("b", named("x_")), 'found "x_", which is the namespace'],
      ["as the default of the first", server("a"), server("b", named("a_")), 'found "a_", which is the namespace'],
      ["as the default of the second", server("a", named("b_")), server("b"), "required: the default is the namespace"],
      [
        "of one organization",
        server("a", named("x_", ", organization: acme")),
        server("b", named("x_", ", organization: acme")),
        'found "x_", which is the namespace',
      ],
    ])("is that of one app: %s", async (_, first, second, found) => {
      expect(await mistakes(apps(first, second))).toEqual([
        expect.stringMatching(
          new RegExp(`^2:\\d+: apps\\[1\\]\\.toolNamespace\\.name: ${found} of apps\\[0\\] already; accepted: `),
        ),
      ]);
    });

    test("is not shared by a REST API and an MCP server, nor by two REST APIs", async () => {
      const shared = expect.stringContaining("apps[1].toolNamespace.name: ");
      expect(await mistakes(apps(bridge("a", named("x_")), server("b", named("x_"))))).toEqual([shared]);
      expect(await mistakes(apps(bridge("a", named("x_")), bridge("b", named("x_"))))).toContainEqual(shared);
    });

    test.each([
      ["where it is disabled", server("a", ", toolNamespace: {disabled: true, name: x_}"), server("b", named("x_"))],
      ["in another organization", server("a", named("x_", ", organization: acme")), server("b", named("x_"))],
      ["that is longer", server("a", named("x_")), server("b", named("x_y_"))],
      ["with characters that names of tools do not have", server("a", named("x.")), server("b", named("x/"))],
    ])("may be there once more %s", async (_, first, second) => {
      expect(await mistakes(apps(first, second))).toEqual([]);
    });
  });

  test("scopes for a tool that does not exist are a mistake", async () => {
    const scopes = (name: string) => `, authorization: {inbound: {tools: [{name: ${name}, scopes: [a]}]}}`;
    expect(await mistakes(apps(bridge("a", scopes("getThing"))))).toEqual([]);
    expect(await mistakes(apps(bridge("a", scopes("/get.*/"))))).toEqual([]);
    expect(await mistakes(apps(bridge("a", scopes("getThign"))))).toEqual([
      expect.stringContaining('matches no tool of this app; did you mean "getThing"?'),
    ]);
    expect(await mistakes(apps(bridge("a", scopes("/Thing/"))))).toEqual([expect.stringContaining("matches no tool")]);
    expect(await mistakes(apps(bridge("a", scopes("'/(/'"))))).toEqual([
      expect.stringContaining("/a valid regular expression/; this one has: unterminated group"),
    ]);
  });
});

test("a browser session may not idle longer than it lives", async () => {
  expect(await mistakes("version: 1\nsession: {lifetime: {maxTimeout: 1h, idleTimeout: 2h}}")).toEqual([
    expect.stringContaining('session.lifetime.idleTimeout: found "2h"; accepted: at most maxTimeout, "1h"'),
  ]);
});
