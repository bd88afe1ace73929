import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../../behaviour/gateway-fixture.ts";
import { manyTools, mcpServer, toolOf } from "./mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "./proxying-gateway.ts";

const META = ["search_tools", "describe_tools", "call_tool"];
const AUTO = { search: "auto", threshold: 5 } as const;

describe("tools of MCP servers that are too many for a list", () => {
  const ledger = mcpServer([
    toolOf("get_balance", {
      title: "Read the balance",
      description: "How much money an account has.",
      inputSchema: { type: "object", properties: { account: { type: "string" } }, required: ["account"] },
      outputSchema: { type: "object" },
      icons: [{ src: "data:image/png;base64,AAAA" }],
      _meta: { "ui/resourceUri": "ui://a" },
    }),
    toolOf("close_account", { description: "Closes an account for good.", annotations: { destructiveHint: true } }),
  ]);
  const weather = mcpServer(manyTools(40));
  let it: ProxyingGateway;
  beforeAll(async () => {
    it = await proxyingGateway({ servers: { ledger, weather }, catalog: AUTO });
  });
  afterAll(() => it.close());

  test("are offered by search, in both generations", async () => {
    expect(await it.names()).toEqual(META);
    expect((await it.inSession("tools/list")).result).toMatchObject({ tools: META.map((name) => ({ name })) });
  });

  test("are found together, the best of all servers first", async () => {
    const found = (await it.called("search_tools", { query: "read the balance of an account" })).split("\n");
    expect(found[0]).toBe("ledger_get_balance(account): Read the balance");
    expect(await it.called("search_tools", { query: "create a shipment", limit: 1 })).toMatch(
      /^weather_create_shipment_4\(\)/,
    );
    const search = { name: "search_tools", arguments: { query: "close account", limit: 1 } };
    expect(textOf(await it.inSession("tools/call", search))).toMatch(/^ledger_close_account/);
  });

  test("are found by app, and an app that does not exist is told with those that do", async () => {
    const found = await it.called("search_tools", { query: "get", app: "ledger" });
    expect(found).toContain("ledger_get_balance");
    expect(found).not.toContain("weather_");
    expect(await it.called("search_tools", { query: "get", app: "nobody" })).toContain("There are: ledger, weather.");
  });

  test("are described without what models do not need, and unknown ones with names near to them", async () => {
    const text = await it.called("describe_tools", { names: ["ledger_get_balance", "ledger_get_balances"] });
    const [definition = "", note] = text.split("\n\n");
    expect(JSON.parse(definition)).toEqual({
      name: "ledger_get_balance",
      title: "Read the balance",
      description: "How much money an account has.",
      inputSchema: { type: "object", properties: { account: { type: "string" } }, required: ["account"] },
    });
    expect(note).toMatch(/There is no tool "ledger_get_balances"\. Near to it: ledger_get_balance/);
  });

  test("are called by their own name and by way of call_tool, with everything that belongs to the call", async () => {
    const given = { account: "a" };
    expect(await it.called("ledger_get_balance", given)).toBe("called get_balance");
    const wrapped = { name: "ledger_get_balance", arguments: given };
    expect(await it.called("call_tool", wrapped)).toBe("called get_balance");
    expect(ledger.calls.map(({ params }) => params)).toEqual([
      expect.objectContaining({ name: "get_balance", arguments: given }),
      expect.objectContaining({ name: "get_balance", arguments: given }),
    ]);
    expect(ledger.calls.at(-1)?.headers.get("mcp-name")).toBe("get_balance");
    const answer = await it.inSession("tools/call", { name: "call_tool", arguments: wrapped });
    expect(textOf(answer)).toBe("called get_balance");
    const { stores } = it.dependencies;
    const organizationId = (await stores.directory.firstOrganization())?.organizationId ?? expect.fail();
    const { items } = await stores.auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 10 });
    expect(items.map(({ tool, outcome }) => [tool, outcome])).toEqual(
      Array.from({ length: 3 }, () => ["ledger_get_balance", "success"]),
    );
  });

  test("26. are not called where the header names the inner tool", async () => {
    const params = { name: "call_tool", arguments: { name: "ledger_get_balance", arguments: { account: "a" } } };
    expect((await it.send("tools/call", params, { "mcp-name": "ledger_get_balance" })).status).toBe(400);
  });

  test("are searched anew when the server lists others", async () => {
    const before = await it.called("search_tools", { query: "tell a joke" });
    expect(before).not.toContain("joke");
    ledger.lists([toolOf("tell_joke", { description: "Tells a joke." })]);
    it.clock.set(it.clock.now() + 2 * 3_600_000);
    expect(await it.called("search_tools", { query: "tell a joke" })).toMatch(/^ledger_tell_joke\(\): Tells a joke\./);
  });
});

test("few tools of MCP servers are listed", async () => {
  const it = await proxyingGateway({ servers: { ledger: mcpServer([toolOf("a")]) }, catalog: AUTO });
  expect(await it.names()).toEqual(["ledger_a"]);
  await it.close();
});

test("a server's tool that is called like one of the three gives way to it, and is there where nobody searches", async () => {
  const server = mcpServer([toolOf("search_tools"), toolOf("a")]);
  const more = { namespace: "" };
  const searching = await proxyingGateway({ servers: { ledger: server }, more, catalog: AUTO });
  expect(await searching.names()).toEqual(["a"]);
  expect(await searching.called("search_tools", { query: "search tools" })).not.toMatch(/called|^search_tools/m);
  expect(await searching.called("describe_tools", { names: ["search_tools"] })).toContain("There is no tool");
  await searching.close();
  const listing = await proxyingGateway({ servers: { ledger: server }, more });
  expect(await listing.names()).toEqual(["search_tools", "a"]);
  expect(await listing.called("search_tools")).toBe("called search_tools");
  await listing.close();
});

test("27. a tool of an MCP server that a policy hides is neither found nor described, nor near to any name", async () => {
  const expression = 'request.mcp.tool.params.name != "get_secret"';
  const servers = { ledger: mcpServer([toolOf("get_secret"), toolOf("get_balance")]) };
  const more = { policies: [{ engine: "cel", name: "cel", expression }] } as const;
  const it = await proxyingGateway({ servers, more, catalog: { search: "on", threshold: 1 } });
  expect(await it.called("search_tools", { query: "get secret" })).toBe("ledger_get_balance()");
  const unknown = 'There is no tool "ledger_get_secret". Near to it: ledger_get_balance.';
  expect(await it.called("describe_tools", { names: ["ledger_get_secret"] })).toBe(unknown);
  expect(await it.called("call_tool", { name: "ledger_get_secret" })).toBe(unknown);
  await it.close();
});

test("31. a server that does not answer costs a search its own tools alone", async () => {
  const broken = { ...mcpServer([]), fetch: async () => new Response("<html>", { status: 502 }) };
  const servers = { broken, ledger: mcpServer([toolOf("get_balance")]) };
  const it = await proxyingGateway({ servers, catalog: { search: "on", threshold: 1 } });
  expect(await it.called("search_tools", { query: "balance" })).toMatch(/^ledger_get_balance/);
  await it.close();
});
