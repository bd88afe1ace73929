import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGateway } from "../../lib/application/gateway.ts";
import { createCatalogChanges } from "../../lib/gateway/catalog-changes.ts";
import { searchedIn } from "../../lib/gateway/search/searched.ts";
import { startOperations } from "../../lib/mcp/operations.ts";
import { type RpcAnswer, rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { messagesOf, readEvents } from "../behaviour/mcp/events.ts";
import { initialize, notification, request } from "../behaviour/mcp/session.ts";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { HEADER, type OpenGateway, openGateway } from "./open-gateway.ts";

let it: OpenGateway;
let upstream: Upstream;
beforeEach(async () => {
  upstream = await startUpstream();
  it = await openGateway({ upstreamURL: upstream.url, catalog: { search: "on", threshold: 150 } });
});
afterEach(async () => {
  await it.close();
  await upstream.stop();
});

const META = ["search_tools", "describe_tools", "call_tool"];
const CALL = { name: "call_tool", arguments: { name: "getNote", arguments: { noteId: "1" } } };
const SEARCH = { name: "search_tools", arguments: { query: "read a note" } };
const namesOf = (result: unknown) =>
  (result as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);

describe("tools by search", () => {
  test("are those of a session", async () => {
    const session = await it.open();
    expect(namesOf((await rpc(await it.post(request("tools/list"), session))).result)).toEqual(META);
    expect(textOf(await rpc(await it.post(request("tools/call", SEARCH), session)))).toMatch(/^getNote\(noteId\)/);
    expect(textOf(await rpc(await it.post(request("tools/call", CALL), session)))).toContain("Hello.");
  });

  test("are those of the generation without sessions, whose headers name the tool that the body does", async () => {
    const send = (method: string, params: Readonly<Record<string, unknown>> = {}, headers = {}) =>
      it.post(modern(method, params), { ...modernHeaders(method, params), ...headers });
    const list = await rpc(await send("tools/list"));
    expect(namesOf(list.result)).toEqual(META);
    expect(list.result).toMatchObject({ resultType: "complete", ttlMs: 60_000, cacheScope: "private" });
    expect(textOf(await rpc(await send("tools/call", SEARCH)))).toMatch(/^getNote\(noteId\)/);
    expect(textOf(await rpc(await send("tools/call", CALL)))).toContain("Hello.");
    expect((await send("tools/call", CALL, { "mcp-name": "getNote" })).status).toBe(400);
  });

  test("are those of the legacy transport", async () => {
    const events = readEvents(await it.send("/sse", { headers: { accept: "text/event-stream" } }));
    const path = (await events.next())?.data ?? expect.fail();
    const send = async (method: string, params: unknown) => {
      const headers = { "content-type": "application/json" };
      await it.send(path, { method: "POST", headers, body: JSON.stringify(request(method, params)) });
      return (await events.message()) as Awaited<ReturnType<typeof rpc>>;
    };
    expect(namesOf((await send("tools/list", {})).result)).toEqual(META);
    expect(textOf(await send("tools/call", SEARCH))).toMatch(/^getNote\(noteId\)/);
    expect(textOf(await send("tools/call", CALL))).toContain("Hello.");
    await events.cancel();
  });

  test("may be called in a batch, and a call of none stops no other", async () => {
    const opening = await it.post(initialize("2025-03-26"));
    const headers = { [HEADER]: opening.headers.get(HEADER) ?? "", accept: "application/json" };
    const none = { name: "call_tool", arguments: { name: "noSuchTool" } };
    const batch = [SEARCH, CALL, none].map((call, id) => request("tools/call", call, id));
    const answers = (await (await it.post(batch, headers)).json()) as readonly RpcAnswer[];
    const failed = answers.map(({ result }) => result?.isError === true);
    expect(failed.toSorted()).toEqual([false, false, true]);
    expect(answers.some((answer) => textOf(answer).includes("Hello."))).toBe(true);
  });

  test("tell of the inner call's progress, by the token of the outer", async () => {
    const call = request("tools/call", { ...CALL, _meta: { progressToken: "p" } });
    const messages = await readEvents(await it.post(call, await it.open())).rest();
    const told = messages.filter(({ method }) => method === "notifications/progress");
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]?.params).toMatchObject({ progressToken: "p" });
  });

  test("end with the client's cancellation, which is the record's outcome", async () => {
    const session = await it.open();
    const call = { name: "call_tool", arguments: { name: "slow", arguments: {} } };
    const answering = it.post(request("tools/call", call, "one"), session);
    await eventually(
      async () => upstream.waiting,
      (count) => count === 1,
    );
    await it.post(notification("notifications/cancelled", { requestId: "one" }), session);
    expect(await messagesOf(await answering)).toEqual([]);
    const { stores } = it.dependencies;
    const organizationId = (await stores.directory.firstOrganization())?.organizationId ?? expect.fail();
    const [record] = (await stores.auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 1 })).items;
    expect(record).toMatchObject({ tool: "slow", outcome: "cancelled" });
  });

  test("give way when the configuration has few tools", async () => {
    await it.close();
    it = await openGateway({ catalog: { search: "auto", threshold: 2 } });
    const list = async () =>
      namesOf((await rpc(await it.post(modern("tools/list"), modernHeaders("tools/list")))).result);
    expect(await list()).toEqual(META);
    it.serveOnly((name) => name === "getNote" || name === "listTags");
    expect(await list()).toEqual(["getNote", "listTags"]);
  });
});

test("telemetry tells which tool was meant: the inner one, or one of the three", () => {
  const gateway = createGateway(it.dependencies, { connectors: [] });
  const names = (params: unknown) => {
    const startChild = vi.fn();
    const telemetry = { span: { startChild }, record: vi.fn(), atEnd: vi.fn() };
    const from = { request: { telemetry } } as unknown as Parameters<typeof startOperations>[2];
    startOperations(request("tools/call", params), new Headers(), from, gateway);
    return startChild.mock.calls.map(([{ name }]) => name);
  };
  expect(names(CALL)).toEqual(["tools/call getNote"]);
  expect(names(SEARCH)).toEqual(["tools/call search_tools"]);
  expect(names({ name: "call_tool", arguments: { name: "what a caller writes" } })).toEqual(["tools/call"]);
  expect(names({ name: "call_tool" })).toEqual(["tools/call call_tool"]);
});

test("whether agents search is a part of what they see: a change is told like one of tools", () => {
  const changes = createCatalogChanges();
  changes.serve([], 150);
  changes.serve([], 150);
  expect(changes.count()).toBe(0);
  changes.serve([], -1);
  changes.serve([]);
  expect(changes.count()).toBe(2);
});

test("an index goes on with the next configuration while the tools are the same", async () => {
  const before = createGateway(it.dependencies, { connectors: [] });
  const after = createGateway(it.dependencies, { connectors: [] }, before);
  expect(after.search?.kept.find).toBe(before.search?.kept.find);
  const found = async ({ search, ...gateway }: typeof after) =>
    (await search?.find("read a note", searchedIn({}, gateway))) ?? [];
  expect((await found(after))[0]).toBe(after.tools.get("getNote"));
  it.serveOnly((name) => name === "listTags");
  const others = createGateway(it.dependencies, { connectors: [] }, after);
  expect((await found(others)).map(({ tool }) => tool.name)).toEqual(["listTags"]);
});
