import { beforeAll, describe, expect, test } from "vitest";
import { followed, YAML } from "./gateway.ts";

const OAUTH = `${YAML}      servers:
        - wellKnownEndpoint: https://auth.example/.well-known/openid-configuration
          tokenValidation: {expectedAudiences: ["https://gateway.example/agents", "https://gateway.example/sse"]}
`;

describe("settings that do not fit", () => {
  let it: Awaited<ReturnType<typeof followed>>;
  beforeAll(async () => {
    it = await followed();
  });
  const problems = (values: Readonly<Record<string, unknown>>, former = {}) => it.gatewaySettings.check(values, former);

  test.each([
    ["enabled", "yes", 'found "yes"; accepted: true or false'],
    ["serverName", "", "found empty text; accepted: text that is not empty"],
    ["serverName", ["a"], "found a list; accepted: text that is not empty"],
    [
      "streamPath",
      "mcp",
      'found "mcp"; accepted: a path that starts with / and holds letters, digits and . _ ~ - / only',
    ],
    [
      "streamPath",
      {},
      "found a mapping; accepted: a path that starts with / and holds letters, digits and . _ ~ - / only",
    ],
    ["sessionHeaderName", "No Header", 'found "No Header"; accepted: a header name'],
    [
      "sessionHeaderName",
      "Cookie",
      'found "Cookie", which has a meaning of its own; accepted: a header such as Mcp-Session-Id',
    ],
    [
      "sessionTimeout",
      60,
      "found the number 60; accepted: a duration such as 250ms, 30s, 15m or 1h30m; did you mean 60s?",
    ],
    ["sessionTimeout", "0s", 'found "0s"; accepted: a positive duration when sessions are enabled'],
    ["streamPath", "/status", "/status belongs to health.location; accepted: a path of its own"],
  ])("%s %j is refused in the words of the YAML's own messages", async (name, value, detail) => {
    expect(await problems({ [name]: value })).toEqual([{ name, detail }]);
  });

  test("all that is wrong is told at once", async () => {
    const found = await problems({ streamPath: "x", sessionTimeout: "soon", serverName: "Fine" });
    expect(found.map(({ name }) => name).toSorted()).toEqual(["sessionTimeout", "streamPath"]);
  });

  test("a mistake that shows elsewhere is told at the setting whose change makes it", async () => {
    expect(await problems({ streamPath: "/sse", serverName: "Fine" })).toEqual([
      {
        name: "streamPath",
        detail:
          "does not fit the rest of the configuration: mcpProvider.transports.sse.path: /sse belongs to mcpProvider.transports.stream.path; accepted: a path of its own",
      },
    ]);
    expect(await problems({ oauthEnabled: true, streamPath: "/v2" }, { streamPath: "/v2" })).toEqual([
      {
        name: "oauthEnabled",
        detail:
          "does not fit the rest of the configuration: mcpProvider.authorization.oauth.servers: required when OAuth is enabled; accepted: at least one server",
      },
    ]);
  });

  test("a mistake that no single change makes is told of all", async () => {
    const values = { oauthEnabled: true };
    const [problem, ...others] = await problems(values, values);
    expect(others).toEqual([]);
    expect(problem?.name).toBeUndefined();
    expect(problem?.detail).toContain("mcpProvider.authorization.oauth.servers");
  });

  test("taking a setting back can be the mistake", async () => {
    const text = `${OAUTH}      enabled: true\n`;
    const { gatewaySettings } = await followed({ text });
    const former = { oauthEnabled: false, streamPath: "/elsewhere" };
    expect(await gatewaySettings.check(former, {})).toEqual([]);
    const found = await gatewaySettings.check({ streamPath: "/elsewhere" }, former);
    expect(found).toMatchObject([{ name: "oauthEnabled", detail: expect.stringContaining("expectedAudiences") }]);
  });

  test("what only one runtime refuses is refused there", async () => {
    const text = `
version: "1"
http: {publicURL: "https://gateway.example"}
mcpProvider: {enabled: false}
apps: [{type: mcpProxy, name: ledger, upstream: {transport: stream, stream: {url: "https://ledger.example/mcp"}}}]
`;
    const [onNode, onWorkers] = [await followed({ text }), await followed({ text, runtime: "workers" })];
    expect(await onNode.gatewaySettings.check({ enabled: true }, {})).toEqual([]);
    expect(await onWorkers.gatewaySettings.check({ enabled: true }, {})).toMatchObject([
      { name: "enabled", detail: expect.stringContaining("mcpProvider.stateSecret: required on Workers and Lambda") },
    ]);
  });
});
