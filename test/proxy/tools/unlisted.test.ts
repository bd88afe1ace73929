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

describe("46. a resource that its server lists as file:///my docs/ü", () => {
  const LISTED = "file:///my docs/ü";
  const asked: unknown[] = [];

  test.each([
    [LISTED, "read"],
    ["file:///my%20docs/%C3%BC", "read"],
    ["file:///my%20docs/ü", "read"],
    ["FILE:///my docs/%C3%BC", "read"],
    ["file:///my%2520docs/%C3%BC", "refused"],
    ["file:///other/../my%20docs/%C3%BC", "refused"],
    ["file:///my%20docs/%C3%BC/", "refused"],
  ])("46. asked for as %s, is %s", async (uri, what) => {
    asked.length = 0;
    const other = await proxyingGateway({
      servers: { ledger: { ...server, fetch: ofResources } },
      more: { namespace: "" },
    });
    try {
      const { error, result } = await other.answer("resources/read", { uri });
      expect(error === undefined ? "read" : "refused").toBe(what);
      expect(asked).toEqual(what === "read" ? [LISTED] : []);
      if (what === "read") expect(result?.contents).toMatchObject([{ uri: LISTED }]);
    } finally {
      await other.close();
    }
  });

  const ofResources: typeof globalThis.fetch = async (input, init) => {
    const { id, method, params } = (await new Request(input, init).clone().json()) as {
      readonly id: unknown;
      readonly method: string;
      readonly params?: { readonly uri?: string };
    };
    const answer = (result: JsonObject) => Response.json({ jsonrpc: "2.0", id, result });
    if (method === "server/discover")
      return answer({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { resources: {} } });
    if (method === "resources/list")
      return answer({ resultType: "complete", resources: [{ uri: LISTED, name: "docs" }] });
    if (method === "resources/templates/list") return answer({ resultType: "complete", resourceTemplates: [] });
    if (method !== "resources/read") return server.fetch(input, init);
    asked.push(params?.uri);
    return answer({ resultType: "complete", contents: [{ uri: LISTED, text: "read" }] });
  };
});
