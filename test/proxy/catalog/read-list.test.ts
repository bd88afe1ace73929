import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../../lib/protocol/mcp/json-rpc.ts";
import type { ListKind } from "../../../lib/upstream/catalog/kinds.ts";
import { MOST_ENTRIES, MOST_PAGES, MOST_TEXT, readList } from "../../../lib/upstream/catalog/read-list.ts";
import { UpstreamRefusal } from "../../../lib/upstream/refusal.ts";
import { answering, tool } from "./upstream-lists.ts";

const namesIn = ({ entries }: Awaited<ReturnType<typeof readList>>) => entries.map(({ upstreamName }) => upstreamName);

const oneList = (kind: ListKind, entries: readonly unknown[]) => readList(kind, answering({ [kind]: entries }).ask);

describe("reading a list", () => {
  test("takes all pages, in their order, and asks with each cursor as it came", async () => {
    const upstream = answering(
      { tools: [tool("a")], nextCursor: "" },
      { tools: [tool("b")], nextCursor: "2" },
      { tools: [] },
    );
    expect(namesIn(await readList("tools", upstream.ask))).toEqual(["a", "b"]);
    expect(upstream.asked).toEqual([
      ["tools/list", {}],
      ["tools/list", { cursor: "" }],
      ["tools/list", { cursor: "2" }],
    ]);
  });

  test("ends where a cursor comes again", async () => {
    const upstream = answering({ tools: [tool("a")], nextCursor: "x" }, { tools: [tool("b")], nextCursor: "x" });
    const list = await readList("tools", upstream.ask);
    expect(namesIn(list)).toEqual(["a", "b"]);
    expect(list.cutAt).toBeUndefined();
    expect(upstream.asked).toHaveLength(2);
  });

  test("ends at a bound, and says which", async () => {
    let pages = 0;
    const endless = await readList("tools", async () => ({ tools: [tool(`t${++pages}`)], nextCursor: `${pages}` }));
    expect([pages, endless.entries.length, endless.cutAt]).toEqual([MOST_PAGES, MOST_PAGES, "pages"]);

    const many = await oneList(
      "prompts",
      Array.from({ length: MOST_ENTRIES + 1 }, (_, index) => ({ name: `${index}` })),
    );
    expect([many.entries.length, many.cutAt]).toEqual([MOST_ENTRIES, "entries"]);

    const large = { description: "x".repeat(MOST_TEXT / 2) };
    const long = await oneList("tools", [tool("a", large), tool("b", large), tool("c")]);
    expect([namesIn(long), long.cutAt]).toEqual([["a"], "text"]);
  });

  test("keeps what it does not know in entries", async () => {
    const entry = tool("a", { "x-vendor": [1, { deep: null }], execution: { taskSupport: "optional" } });
    expect((await oneList("tools", [entry])).entries[0]?.definition).toEqual(entry);
  });

  test.each(["a\u2028", "a\n", "\u202ea", "a\u200b", "a\ufe0f", "a\u0000", "a\ud800", "\u3164"])(
    "45. a name or URI with a character that nobody sees costs its entry, and is told: %j",
    async (unseen) => {
      const named = await oneList("tools", [tool("good"), tool(unseen)]);
      expect([namesIn(named), named.malformed]).toMatchObject([
        ["good"],
        [{ reason: "characters in its name that nobody sees", count: 1 }],
      ]);
      const located = await oneList("resources", [
        { name: unseen, uri: "a:good" },
        { name: "bad", uri: `a:${unseen}` },
      ]);
      expect([namesIn(located), located.malformed]).toMatchObject([
        ["a:good"],
        [{ reason: "characters in its URI that nobody sees", count: 1 }],
      ]);
    },
  );

  test.each([
    "file:///a/../b",
    "file:///a/%2e%2E/b",
    "file:///a/%25252e./b",
    "file:///a/./b",
    "a:..",
    "file:///a/{x}/..",
    "file:///a/%c0%ae%C0%AE/b",
    "file:///a/%e0%80%ae./b",
    "file:///a/%F0%80%80%ae%u002e/b",
    "file:///a%c1%9c..%5cb",
    "file:///a/%u002E%25u002e/b",
    "file:///a/%uff0e%uff0e/b",
    "file:///a/%f8%80%80%80%ae%fc%80%80%80%80%ae/b",
    "file:///a/%c0%2e%e0%80%2e/b",
    "file:///a%c1%2f../b",
    "file:///a/.%00./b",
    "file:///a/..%2500.png",
  ])("46. a URI with dot segments costs its entry, and is told: %s", async (uri) => {
    const list = await oneList("resources", [{ name: "bad", uri }]);
    expect([namesIn(list), list.malformed]).toMatchObject([[], [{ reason: "dot segments in its URI", count: 1 }]]);
  });

  test.each([
    "file:///a/..b/c..",
    "file:///.hidden/a.b",
    "a:b?path=.",
    "https://a.example/...",
    "file:///{..}",
    "a:b/%u002",
    "a:%e0%81",
    "a:caf%c3%a9",
    "a:b%00..c/d",
    "a:b/%c0%2fc",
  ])("46. %s has none", async (uri) => {
    expect(namesIn(await oneList("resources", [{ name: "good", uri }]))).toEqual([uri]);
  });

  test("31. a malformed tool costs itself only, and is counted with what is wrong with it", async () => {
    const list = await oneList("tools", [
      tool("good"),
      null,
      tool(7),
      tool(""),
      tool("n".repeat(1_001)),
      { name: "no-schema" },
      tool("list", { inputSchema: { type: "array" } }),
      tool("properties", { inputSchema: { type: "object", properties: [] } }),
      tool("described", { description: 5 }),
      tool("hinted", { annotations: { readOnlyHint: "yes" } }),
      tool("good", { description: "again" }),
      tool("deep", { inputSchema: JSON.parse(`{"type":"object","x":${"[".repeat(300)}${"]".repeat(300)}}`) }),
      tool("n".repeat(1_000)),
    ]);
    expect(namesIn(list)).toEqual(["good", "hinted", "n".repeat(1_000)]);
    expect(list.malformed).toEqual([
      { reason: "not an object", count: 1 },
      { reason: "no usable name", count: 3, example: '""' },
      { reason: "inputSchema is no schema of an object", count: 3, example: '"no-schema"' },
      { reason: "a member of the wrong type", count: 1, example: '"described"' },
      { reason: "a name twice", count: 1, example: '"good"' },
      { reason: "nested too deeply", count: 1, example: '"deep"' },
    ]);
    expect(list.reduced).toEqual([{ reason: "annotations", count: 1, example: '"hinted"' }]);
  });

  test("31. the same of resources, templates and prompts", async () => {
    const resource = { uri: "a:b", name: "x" };
    const resources = await oneList("resources", [
      resource,
      { uri: "a:c" },
      { name: "x" },
      { ...resource, uri: 1 },
      resource,
    ]);
    expect(namesIn(resources)).toEqual(["a:b"]);
    const template = { uriTemplate: "a:{b}", name: "x" };
    const templates = await oneList("resourceTemplates", [{ ...template, mimeType: 1 }, template]);
    expect(namesIn(templates)).toEqual(["a:{b}"]);
    const prompts = await oneList("prompts", [
      { name: "a", arguments: [{ name: "x", required: true }] },
      { name: "b", arguments: [{}] },
      { name: "c", arguments: {} },
    ]);
    expect(namesIn(prompts)).toEqual(["a"]);
  });

  test("37. whatever a server lists, reading it ends, and what is kept has a name that no other has", async () => {
    const kinds = fc.constantFrom<ListKind>("tools", "prompts", "resources", "resourceTemplates");
    const near = fc.record({
      name: fc.jsonValue(),
      uri: fc.string(),
      inputSchema: fc.jsonValue(),
      title: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(fc.oneof(fc.jsonValue(), near)), async (kind, entries) => {
        const list = await oneList(kind, entries);
        expect(new Set(namesIn(list)).size).toBe(list.entries.length);
        const left = list.malformed.reduce((sum, { count }) => sum + count, 0);
        expect(list.entries.length + left).toBe(entries.length);
      }),
    );
  });

  test("a server that does not know the method has none of it; any other error, and one of a later page, is one", async () => {
    const unknown = new RpcError(-32601, "Method not found");
    const rejecting = (error: Error) => readList("prompts", () => Promise.reject(error));
    expect((await rejecting(unknown)).entries).toEqual([]);
    const refusal = { status: 404, error: { code: -32601, message: "" } };
    expect((await rejecting(new UpstreamRefusal(refusal))).entries).toEqual([]);
    await expect(rejecting(new RpcError(-32603, "no"))).rejects.toThrow("no");
    const later = readList("prompts", async (_, { cursor }) => {
      if (cursor !== undefined) throw unknown;
      return { prompts: [], nextCursor: "2" };
    });
    await expect(later).rejects.toBe(unknown);
    await expect(readList("prompts", async () => ({ tools: [] }))).rejects.toThrow("no list of prompts");
  });

  test.each([
    ["a minute where none says", [undefined, undefined], 60_000],
    ["the shortest that one says", [5_000, undefined, 2_000], 2_000],
    ["an hour at most", [86_400_000], 3_600_000],
    ["not at all where one says less than that", [5_000, -1], 0],
    ["a minute where it is no number", ["5000"], 60_000],
  ])("it is good for as long as its pages: %s", async (_, ttls, expected) => {
    const pages = ttls.map((ttlMs, index) => ({
      tools: [],
      ...(ttlMs !== undefined && { ttlMs }),
      ...(index < ttls.length - 1 && { nextCursor: `${index}` }),
    }));
    expect((await readList("tools", answering(...pages).ask)).ttl).toBe(expected);
  });
});
