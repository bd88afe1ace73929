import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { type McpServer, mcpServer, toolOf } from "./mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "./proxying-gateway.ts";

let server: McpServer;
let it: ProxyingGateway;
beforeEach(async () => {
  server = mcpServer([toolOf("one")]);
  it = await proxyingGateway({ servers: { ledger: server } });
});
afterEach(() => it.close());

const lists = () => server.methods.filter((method) => method === "tools/list").length;

describe.each(["in a session", "alone"])("46. a tool that its server does not list, called %s", (how) => {
  const call = (name: string) => {
    const params = { name, arguments: {} };
    return how === "alone" ? it.answer("tools/call", params) : it.inSession("tools/call", params);
  };

  test("46. does not reach it, and the list is read once for names that it lacks", async () => {
    for (let at = 0; at < 30; at++) expect((await call(`ledger_invented${at}`)).error).toMatchObject({ code: -32602 });
    expect([server.calls.length, lists()]).toEqual([0, 1]);
  });

  test("46. is called once it is listed, a moment later", async () => {
    expect((await call("ledger_one")).error).toBeUndefined();
    server.lists([toolOf("one"), toolOf("two")]);
    expect((await call("ledger_two")).error).toMatchObject({ code: -32602 });
    it.clock.set(it.clock.now() + 10_000);
    expect((await call("ledger_two")).error).toBeUndefined();
    expect(server.calls.map(({ params }) => params.name)).toEqual(["one", "two"]);
  });
});

test("46. a caller that declares something else each time makes the gateway read a bounded number of lists", async () => {
  for (let at = 0; at < 150; at++) {
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { experimental: { [`e${at}`]: {} } } };
    await it.answer("tools/call", { name: "ledger_invented", arguments: {}, _meta } as JsonObject as never);
  }
  expect(lists()).toBeLessThanOrEqual(100);
  expect(server.calls).toEqual([]);
});

test("46. of a server that does not say what it has nothing is called, and the result and the record say why", async () => {
  const silent: McpServer = {
    ...server,
    fetch: async (input, init) => {
      const { id, method } = (await new Request(input, init).clone().json()) as { id: unknown; method: string };
      if (method !== "tools/list") return server.fetch(input, init);
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32_603, message: "not today" } });
    },
  };
  const other = await proxyingGateway({ servers: { ledger: silent } });
  try {
    expect(await other.called("ledger_one")).toMatch(/does not say what it has/);
    expect(server.calls).toEqual([]);
    const { auditLog, directory } = other.dependencies.stores;
    const { organizationId = "" } = (await directory.firstOrganization()) ?? {};
    const { items } = await auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 10 });
    expect(items).toMatchObject([{ outcome: "upstream_error", reason: "not_listed", tool: "ledger_one" }]);
  } finally {
    await other.close();
  }
});
