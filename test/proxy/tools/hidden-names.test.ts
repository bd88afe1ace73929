import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { type McpServer, mcpServer, toolOf } from "./mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "./proxying-gateway.ts";

/** An MCP server with tools and prompts of these names. */
function server(names: readonly string[]): McpServer {
  const ofTools = mcpServer(names.map((name) => toolOf(name)));
  const results: Readonly<Record<string, JsonObject>> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {}, prompts: {} } },
    "prompts/list": { prompts: names.map((name) => ({ name })) },
  };
  return {
    ...ofTools,
    fetch: async (input, init) => {
      const { id, method } = (await new Request(input, init).json()) as JsonObject;
      const result = results[String(method)];
      if (result === undefined) return ofTools.fetch(input, init);
      return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
    },
  };
}

let it: ProxyingGateway;
beforeAll(async () => {
  it = await proxyingGateway({
    servers: { first: server(["find", "lend"]), second: server(["find", "lend", "order"]) },
    more: { namespace: "" },
  });
});
afterAll(() => it.close());

const told = () =>
  it.logs
    .map((line) => JSON.parse(line) as JsonObject)
    .filter(({ msg }) => msg === "names of an app are another's, which goes before it");

test("of two apps' entries with one name agents see the first, and the log tells of the other, once a kind", async () => {
  const promptNames = async () => {
    const { prompts } = (await it.answer("prompts/list")).result as unknown as { readonly prompts: { name: string }[] };
    return prompts.map(({ name }) => name);
  };
  for (let time = 0; time < 2; time++) {
    expect(await it.names()).toEqual(["find", "lend", "order"]);
    expect(await promptNames()).toEqual(["find", "lend", "order"]);
  }
  const hidden = { level: "warn", app: "second", behind: "first", count: 2, example: "find" };
  expect(told()).toMatchObject([
    { ...hidden, kind: "tools" },
    { ...hidden, kind: "prompts" },
  ]);
});
