import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { rpc } from "../../behaviour/gateway-fixture.ts";
import { type McpServer, mcpServer, toolOf } from "../tools/mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "../tools/proxying-gateway.ts";

interface Received {
  readonly method: string;
  readonly name: string | null;
  readonly params: JsonObject;
}

/** An MCP server of the generation without sessions whose calls become tasks (extension Tasks); it has the ones with these ids. */
function server(ids: readonly string[]): McpServer & { readonly received: Received[] } {
  const received: Received[] = [];
  const task = (taskId: unknown) => ({ taskId, status: "working", createdAt: "", lastUpdatedAt: "", ttlMs: null });
  return {
    ...mcpServer([]),
    received,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { id, method, params } = (await request.json()) as { id: unknown; method: string; params: JsonObject };
      received.push({ method, name: request.headers.get("mcp-name"), params });
      if (method.startsWith("tasks/") && !ids.includes(String(params.taskId)))
        return Response.json({ jsonrpc: "2.0", id, error: { code: -32_602, message: "no such task" } });
      const results: Readonly<Record<string, JsonObject>> = {
        "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
        "tools/list": { tools: [toolOf("compute")] },
        "tools/call": { ...task(ids[0]), resultType: "task" },
        "tasks/get": task(params.taskId),
      };
      return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...results[method] } });
    },
  };
}

/** The answer to a request about a task, which a header repeats. */
async function about(taskId: string, method: string, it: ProxyingGateway, more: JsonObject = {}) {
  return rpc(await it.send(method, { taskId, ...more }, { "mcp-name": taskId }));
}

describe("apps with namespaces", () => {
  const servers = { ledger: server(["1"]), archive: server(["1"]) };
  let it: ProxyingGateway;
  beforeAll(async () => {
    it = await proxyingGateway({ servers });
  });
  afterAll(() => it.close());

  test.each(["ledger", "archive"] as const)(
    "a task of %s is asked for there, though others have the same id",
    async (name) => {
      const begun = await it.answer("tools/call", { name: `${name}_compute`, arguments: {} });
      expect(begun.result).toMatchObject({ resultType: "task", taskId: `${name}+1` });
      const inputResponses = {
        who: { action: "accept", _meta: { "io.modelcontextprotocol/related-task": { taskId: `${name}+1` } } },
      };
      expect((await about(`${name}+1`, "tasks/get", it)).result).toMatchObject({ taskId: `${name}+1` });
      for (const method of ["tasks/update", "tasks/cancel"])
        expect((await about(`${name}+1`, method, it, { inputResponses })).result).toBeDefined();
      const asked = servers[name].received.filter(({ method }) => method.startsWith("tasks/"));
      expect(asked.map(({ method, name: header, params }) => [method, header, params.taskId])).toEqual([
        ["tasks/get", "1", "1"],
        ["tasks/update", "1", "1"],
        ["tasks/cancel", "1", "1"],
      ]);
      expect(JSON.stringify(asked)).not.toContain(`${name}+`);
    },
  );
});

test("of several apps without a namespace the one that tells of the task is asked, else the first says what is wrong", async () => {
  const servers = { ledger: server(["1"]), archive: server(["2"]) };
  const it = await proxyingGateway({ servers, more: { namespace: "" } });
  try {
    expect((await about("2", "tasks/get", it)).result).toMatchObject({ taskId: "2" });
    expect((await about("2", "tasks/cancel", it)).result).toBeDefined();
    expect((await about("3", "tasks/cancel", it)).error?.message).toBe("no such task");
    const cancelled = (at: keyof typeof servers) =>
      servers[at].received.filter(({ method }) => method === "tasks/cancel").map(({ params }) => params.taskId);
    expect([cancelled("ledger"), cancelled("archive")]).toEqual([["3"], ["2"]]);
  } finally {
    await it.close();
  }
});
