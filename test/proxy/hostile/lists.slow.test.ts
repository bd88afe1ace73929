import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { messagesOf } from "../../behaviour/mcp/events.ts";
import { toolOf } from "../tools/mcp-server.ts";
import {
  answers,
  type Behaviour,
  beginEvents,
  type Received,
  resultOf,
  withHostile,
  writeEndlessly,
} from "./hostile-gateway.ts";

const it = withHostile();
const MEBI = 1024 * 1024;

const lists =
  (tools: readonly unknown[], more: JsonObject = {}): Behaviour =>
  ({ response, id }) =>
    answers(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify({ resultType: "complete", tools, ...more })}}`)({
      response,
    });

const asked = (method: string) => it.received.filter((one) => one.method === method).length;
const cursorOf = ({ message }: Received) => Number((message.params as JsonObject | undefined)?.cursor ?? 0);

/** What is no list that can be used: tools of others are there all the same. */
const BROKEN: Readonly<Record<string, Behaviour>> = {
  "answers with a page": answers("<h1>Hello</h1>", "text/html"),
  "says nothing": () => undefined,
  "has no list": lists([], { tools: { length: 3 } }),
  "lists without end": ({ response, id }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"a","description":"`);
    writeEndlessly(response, () => "x".repeat(MEBI));
  },
  "is white space without end": ({ response, id }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[`);
    writeEndlessly(response, () => " ".repeat(MEBI));
  },
  "tells without end": ({ response }) => {
    beginEvents({ response });
    writeEndlessly(response, () =>
      `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`.repeat(100),
    );
  },
  "lists half": ({ response, id }) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"a"`, () => response.destroy());
  },
};

test.each(Object.keys(BROKEN))(
  "31. an upstream that %s takes no tools of others with it, and is told in the log",
  async (name) => {
    it.does(BROKEN[name] as Behaviour, "tools/list");
    expect(await it.gateway.names()).toEqual(["good_fine"]);
    expect(it.gateway.logs.some((line) => line.includes("an upstream did not list what it has"))).toBe(true);
    await it.gateway.settled();
  },
);

test("a bomb of gzip is not unpacked beyond what a list may have", async () => {
  const bomb = gzipSync(
    Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"tools":['), Buffer.alloc(200 * MEBI, " ")]),
  );
  it.does(({ response }) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(bomb);
  }, "tools/list");
  expect(bomb.length).toBeLessThan(MEBI);
  expect(await it.gateway.names()).toEqual(["good_fine"]);
  expect(it.gateway.logs.some((line) => line.includes("an upstream did not list what it has"))).toBe(true);
});

test("malformed tools cost themselves alone", async () => {
  const bad = [
    null,
    7,
    [],
    {},
    toolOf(""),
    toolOf("x".repeat(2_000)),
    { ...toolOf("a"), name: 7 },
    { name: "schemaless" },
    toolOf("list", { inputSchema: [] }),
    toolOf("wrong", { description: { text: "a" } }),
    toolOf("deep", { _meta: JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`) }),
  ];
  const odd = ["__proto__", "constructor", "tool", "tool", "a b", "../../etc", "é"].map((name) => toolOf(name));
  it.does(lists([...bad, ...odd, toolOf("icons", { icons: "a.png" })]), "tools/list");
  const names = await it.gateway.names();
  expect(names).toHaveLength(8);
  const kept = ["good_fine", "bad___proto__", "bad_constructor", "bad_tool", "bad_icons"];
  expect(names).toEqual(expect.arrayContaining(kept));
  expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
  expect(it.gateway.logs.some((line) => line.includes("an upstream lists what cannot be used"))).toBe(true);
});

test("10,000 tools are listed, and read once", async () => {
  it.does(
    lists(
      Array.from({ length: 10_000 }, (_, at) => toolOf(`tool_${at}`)),
      { ttlMs: 60_000 },
    ),
    "tools/list",
  );
  for (let time = 0; time < 3; time++) expect(await it.gateway.names()).toHaveLength(10_001);
  expect(asked("tools/list")).toBe(1);
});

test("a list that leads back to itself, and one without a last page, come to an end", async () => {
  it.does((received) => lists([toolOf(`a${cursorOf(received)}`)], { nextCursor: "1" })(received), "tools/list");
  expect(await it.gateway.names()).toHaveLength(3);
  expect(asked("tools/list")).toBe(2);
  it.gateway.clock.set(it.gateway.clock.now() + 3_600_000);
  it.does((received) => {
    const at = cursorOf(received) + 1;
    lists([toolOf(`a${at}`)], { nextCursor: String(at) })(received);
  }, "tools/list");
  expect(await it.gateway.names()).toContain("good_fine");
  await it.gateway.settled();
  // However fast it is: 100 pages, or so many as the time is enough for.
  expect(asked("tools/list")).toBeLessThanOrEqual(102);
});

test.each([1e308, -1, "soon", null, {}])("a time to live of %j is taken for a sensible one", async (ttlMs) => {
  it.does(lists([toolOf("tool")], { ttlMs }), "tools/list");
  expect(await it.gateway.names()).toEqual(["good_fine", "bad_tool"]);
  it.gateway.clock.set(it.gateway.clock.now() + 7_300_000);
  await it.gateway.names();
  expect(asked("tools/list")).toBeGreaterThan(1);
});

test("a storm of changes is no storm of requests", async () => {
  const changed = `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`;
  it.does(({ response, id }) => {
    beginEvents({ response });
    response.end(`${changed.repeat(2_000)}data: ${resultOf(id)}\n\n`);
  });
  await it.gateway.names();
  const messages = await messagesOf(await it.gateway.send("tools/call", { name: "bad_tool", arguments: {} }));
  expect(messages).toHaveLength(2_001);
  await it.gateway.settled();
  expect(asked("tools/list")).toBe(1);
  for (let time = 0; time < 3; time++) await it.gateway.names();
  expect(asked("tools/list")).toBe(2);
});

test("a tool that is gone between list and call is the upstream's to refuse", async () => {
  it.does(lists([toolOf("tool")]), "tools/list");
  expect(await it.gateway.names()).toContain("bad_tool");
  it.does(({ response, id }) => {
    answers(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"Unknown tool"}}`)({ response });
  });
  expect(await it.gateway.answer("tools/call", { name: "bad_tool", arguments: {} })).toMatchObject({
    error: { code: -32602, message: "Unknown tool" },
  });
});

test("nothing of all that is a mistake of ours by the log", () => {
  expect(it.gateway.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
