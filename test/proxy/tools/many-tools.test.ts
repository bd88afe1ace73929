import { afterAll, beforeAll, expect, test } from "vitest";
import { manyTools, mcpServer } from "./mcp-server.ts";
import { type ProxyingGateway, proxyingGateway } from "./proxying-gateway.ts";

/** Listed on pages, read once. */
const server = mcpServer(manyTools(10_000));
let it: ProxyingGateway;
beforeAll(async () => {
  it = await proxyingGateway({ servers: { ledger: server }, catalog: { search: "auto", threshold: 150 } });
});
afterAll(() => it.close());

test("a server with 10,000 tools is searched, described and called", async () => {
  expect(await it.names()).toEqual(["search_tools", "describe_tools", "call_tool"]);
  const found = await it.called("search_tools", { query: "archive the ticket 9971" });
  expect(found.split("\n")[0]).toMatch(/^ledger_archive_ticket_\d+\(\)/);
  const name = "ledger_archive_ticket_9971";
  expect(JSON.parse(await it.called("describe_tools", { names: [name] }))).toMatchObject({ name });
  expect(await it.called("call_tool", { name })).toBe("called archive_ticket_9971");
  expect(server.methods.filter((method) => method === "tools/list")).toHaveLength(10);
});

test("a server with 10,000 tools is listed where nobody searches", async () => {
  const listing = await proxyingGateway({ servers: { ledger: server } });
  expect(await listing.names()).toHaveLength(10_000);
  await listing.close();
});
