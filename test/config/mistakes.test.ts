import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nearest } from "../../lib/kernel/suggestions.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";
import { mistakes, warningsOf } from "./support.ts";

describe("mistakes", () => {
  test("ten mistakes are reported at once, each with its place, what was found and what is accepted", async () => {
    const text = readFileSync(new URL("ten-mistakes.yaml", import.meta.url), "utf8");
    expect(await mistakes(text)).toEqual([
      '4:1: helth: unknown key; did you mean "health"?',
      '8:10: logger.level: found "warning"; accepted: debug, info, warn, error; did you mean "warn"?',
      '11:12: http.address: found "gateway.example"; accepted: host:port, for example 127.0.0.1:8080 or :8080, with a port from 0 to 65535',
      '12:8: http.tls: found "publc", which is not the name of an entry of tls; did you mean "public"?',
      "20:9: store.path: found a malformed placeholder; accepted: {{ env.NAME }}",
      "26:7: mcpProvider.transports.stream.path: required when the stream transport is enabled; accepted: a path such as /mcp",
      "36:26: mcpProvider.authorization.oauth.servers[0].tokenValidation.jwt.clockSkew: found the number 15; accepted: a duration such as 250ms, 30s, 15m or 1h30m; did you mean 15s?",
      "43:9: apps[0].openapi.spec: found both of uri and data; accepted: exactly one",
      '54:19: apps[1].authorization.inbound.tools[0].name: found "getThings", which matches no tool of this app; did you mean "getThing"?',
      "57:11: apps[2].name: found an app name that stands above already, at apps[1].name; accepted: each once",
    ]);
  });

  test("a document that is no mapping is refused", async () => {
    expect(await mistakes("- a")).toEqual(["1:1: found a list; accepted: a mapping of keys"]);
    expect(await mistakes("hello")).toEqual(["1:1: found text; accepted: a mapping of keys"]);
  });

  test("the version is required", async () => {
    expect(await mistakes("logger: {}")).toEqual([
      '1:1: version: required and missing; accepted: text or a number, for example "1"',
    ]);
  });

  test("an empty section is the same as an absent one, an unknown empty key is not", async () => {
    expect(await mistakes("version: 1\nlogger:\nhttp:\napps:\n")).toEqual([]);
    expect(await mistakes("version: 1\nhtpp:\n")).toEqual(['2:1: htpp: unknown key; did you mean "http"?']);
  });

  test("only what the schema marks as secret is hidden, whatever a key sounds like", async () => {
    const text = `version: 1
oidcProvider: {region: us, apiClients: {accessToken: {lifetime: 0s}}}
mcpProvider: {enabled: true, authorization: {oauth: {servers: [{wellKnownEndpoint: "https://a.example", tokenValidation: {expectedAudiences: [a], method: magic, introspection: {tokenPrefix: 5, clientSecret: 1234}}}]}}}`;
    const found = await mistakes(text);
    expect(found.map((line) => line.replace(/; accepted.*/, "").replace(/.*\.(\w+: found)/, "$1"))).toEqual([
      'lifetime: found "0s"',
      'method: found "magic"',
      "tokenPrefix: found the number 5",
      "clientSecret: found a number",
    ]);
  });

  test.each([
    "console: {setupToken: hunter2}",
    "oidcProvider: {region: us, jwks: [{algorithm: ES256, publicKey: [hunter2]}]}",
    "apps: [{type: oidc, name: a, clientID: b, credentials: hunter2}]",
    "apps: [{type: oidc, name: a, clientID: b, credentials: {secrets: [[hunter2], 77]}}]",
  ])("%s is refused without its value", async (yaml) => {
    const found = await mistakes(`version: 1\n${yaml}`);
    expect(found.length).toBeGreaterThan(0);
    expect(found.join()).not.toMatch(/hunter2|77/);
  });

  test("a secret written into the document is never quoted", async () => {
    const found = await mistakes(
      'version: 1\nconsole:\n  enabled: true\n  setupToken: hunter2\noidcProvider:\n  region: us\n  apiClients: {idSecret: hunter2}\napps: [{type: oidc, name: a, clientID: "", credentials: {secrets: hunter2}}]',
    );
    expect(found).toHaveLength(4);
    expect(found.join()).not.toContain("hunter2");
  });

  test("a number alone is no retention: days are meant", async () => {
    expect(await mistakes("version: 1\naudit: {retention: 30}")).toEqual([
      "2:20: audit.retention: found the number 30; accepted: days or a duration, at least 2d, such as 400d or 720h; did you mean 30d?",
    ]);
  });

  test("an unknown app type lists the known ones", async () => {
    const accepted = "accepted: oidc, mcpBridge, mcpProxy or proxy";
    expect(await mistakes("version: 1\napps: [{name: a, type: mcpproxi}, {name: b, type: rest}, {name: c}]")).toEqual([
      expect.stringContaining(`apps[0].type: found "mcpproxi"; ${accepted}; did you mean "mcpProxy"?`),
      expect.stringMatching(`apps\\[1\\].type: found "rest"; ${accepted}$`),
      expect.stringMatching(`apps\\[2\\].type: required and missing; ${accepted}$`),
    ]);
  });

  test("more than a hundred mistakes are counted", async () => {
    const keys = Array.from({ length: 250 }, (_, index) => `key${index}: 1`);
    const found = await mistakes(["version: 1", ...keys].join("\n"));
    expect(found).toHaveLength(101);
    expect(found.at(-1)).toBe("1:1: and 150 more mistakes");
  });

  test("what cannot be read is told once, and not as missing too", async () => {
    expect(
      await mistakes("version: '{{ x }}'\napps: [{name: '{{ y }}', type: oidc, clientID: a, public: true}]"),
    ).toEqual([
      "1:10: version: found a malformed placeholder; accepted: {{ env.NAME }}",
      "2:15: apps[0].name: found a malformed placeholder; accepted: {{ env.NAME }}",
    ]);
  });
});

describe("a URL with an odd scheme says so, and nothing of what may be secret", () => {
  const ACCEPTED = "an absolute http or https URL without user name, password";
  test.each([
    ["ftp://a.example/x", "ftp:// is neither http:// nor https://"],
    ["htps://ada:hunter2@a.example", "htps:// is neither http:// nor https://"],
    ["localhost:8080/x", "http:// or https:// is missing in front"],
    ["a.example", "http:// or https:// is missing in front"],
    ["mailto:hunter2", undefined],
    ["https://a.example/#x", undefined],
  ])("%s", async (given, hint) => {
    const [mistake = ""] = await mistakes(
      `version: 1\nconnectors: [{name: a, type: oidc, oidcWellKnownURL: "${given}", oauthClientID: b, oauthClientSecret: c}]`,
    );
    const [, after] = mistake.split(`; accepted: ${ACCEPTED} or fragment`);
    expect(after).toBe(hint === undefined ? "" : `; ${hint}`);
  });
});

test("a limit about a tool that no app has is told, unless an MCP server may have it", async () => {
  const bridge = "{name: a, type: mcpBridge, openapi: {spec: {uri: file://a.json}}}";
  const proxy = "{name: b, type: mcpProxy, upstream: {stream: {url: https://b.example/mcp}}}";
  const about = async (condition: string, ...apps: readonly string[]) =>
    (
      await warningsOf(`version: 1\nlimits: [{name: l, for: ${condition}, rate: 5/s}]\napps: [${apps.join(", ")}]`)
    ).filter((warning) => warning.includes("limits"));
  expect(await about("{tool: getThign}", bridge)).toEqual([
    expect.stringMatching(
      /limits\[0\]\.for\.tool: without effect: "getThign" matches no tool .*; did you mean "getThing"\?$/,
    ),
  ]);
  expect(await about("{tool: [getThing, /list.*/]}", bridge)).toEqual([
    expect.stringContaining('"/list.*/" matches no tool of these apps; see `countersign tools`'),
  ]);
  expect(await about("{tool: getThign, app: a}", bridge, proxy)).toHaveLength(1);
  expect(await about("{tool: getThign}", bridge, proxy)).toEqual([]);
  expect(await about("{tool: /get.*/}", bridge)).toEqual([]);
});

describe("suggestions", () => {
  test.each([
    ["clientid", "clientID"],
    ["adress", "address"],
    ["mehtod", "method"],
    ["addr", "address"],
    ["warning", "warn"],
    ["x".repeat(2_000), undefined],
    ["ab", undefined],
    ["", undefined],
  ])("%s means %s", (word, meant) => {
    expect(nearest(word, ["clientID", "address", "method", "warn", "id"])).toBe(meant);
  });

  test("are found in time that grows with the names", () => {
    const names = (length: number) => Array.from({ length }, (_, index) => `tool-${index}-of-a-catalog`);
    expect(growth(names, (known) => nearest("tolo-1-of-another-catalog", known))).toBeLessThan(SUPER_LINEAR);
  });
});
