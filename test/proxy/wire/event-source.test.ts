import { describe, expect, test } from "vitest";
import { utf8 } from "../../../lib/kernel/encoding.ts";
import type { ByteSource } from "../../../lib/upstream/wire/byte-source.ts";
import { chunksOf, decodeUtf8 } from "../../../lib/upstream/wire/byte-source.ts";
import { EVENT_LIMIT, readEventSource } from "../../../lib/upstream/wire/event-source.ts";
import { cut, everyByte } from "./rewritten.ts";

interface ReadEvent {
  readonly type: string;
  readonly id?: string;
  readonly data: string;
  readonly isLong: boolean;
}

function source(bytes: Uint8Array, cuts: readonly number[]): ByteSource {
  const chunks = cut(bytes, cuts);
  return { read: async () => chunks.next().value ?? undefined, cancel: async () => undefined };
}

/** All events of a stream, each read to its end. */
async function read(text: string | Uint8Array, cuts: readonly number[] = []) {
  const bytes = typeof text === "string" ? utf8(text) : text;
  const { events, resumption } = readEventSource(source(bytes, cuts));
  const seen: ReadEvent[] = [];
  for await (const { type, id, data } of events) {
    let content = "";
    for await (const chunk of chunksOf(data)) content += decodeUtf8(chunk);
    seen.push({ type, ...(id !== undefined && { id }), data: content, isLong: data.read !== undefined });
  }
  return { seen, resumption: resumption() };
}

const dataOf = ({ seen }: { readonly seen: readonly ReadEvent[] }) => seen.map(({ data }) => data);

describe("the cases of the HTML Standard", () => {
  test.each<[string, string, readonly string[]]>([
    ["lines joined by a line feed", "data: YHOO\ndata: +2\ndata: 10\n\n", ["YHOO\n+2\n10"]],
    ["comments and fields without a colon", "data\n\ndata\ndata\n\n: c\n\n:\n\n", ["", "\n"]],
    ["one space, which is left out", "data:test\n\ndata: test\n\ndata:  test\n\n", ["test", "test", " test"]],
    ["CR, LF and CRLF", "data: a\rdata: b\ndata: c\r\n\r\ndata: d\n\rdata: e\r\r\n", ["a\nb\nc", "d", "e"]],
    ["a byte order mark in front", "\ufeffdata: a\n\n\ufeffdata: b\n\n", ["a"]],
    [
      "unknown fields, also such as begin like known ones",
      "dat: a\ndata2: b\nevents: c\ndata: d\nDATA: e\n data: f\n\n",
      ["d"],
    ],
    ["colons in data", "data: a: b:\ndata:: c\n\n", ["a: b:\n: c"]],
    ["events without data", "event: a\n\nid: 4\n\nretry: 5\n\n\n\ndata: b\n\n", ["b"]],
    ["text of all lengths of UTF-8", "data: é€😀\n\n", ["é€😀"]],
  ])("%s", async (_, text, expected) => {
    expect(dataOf(await read(text))).toEqual(expected);
    expect(dataOf(await read(text, everyByte(utf8(text).length)))).toEqual(expected);
  });

  test("types and ids: a type is of one event, an id of all that follow", async () => {
    const text = "event: a\nid: 1\ndata: x\n\ndata: y\n\nid\ndata: z\n\nid: a\u0000b\ndata: w\nevent: b\nevent:\n\n";
    for (const cuts of [[], everyByte(text.length)]) {
      const { seen } = await read(text, cuts);
      expect(seen.map(({ type, id }) => [type, id])).toEqual([
        ["a", "1"],
        ["message", "1"],
        ["message", undefined],
        ["message", undefined],
      ]);
    }
  });
});

describe("taking a stream up again", () => {
  test("goes by the last id of an event that ended, with data or without", async () => {
    expect((await read("id: 1\ndata:\n\n")).resumption).toEqual({ lastEventId: "1" });
    expect((await read("id: 1\n\nid: 2\nretry: 1500\n")).resumption).toEqual({ lastEventId: "1", retry: 1_500 });
    expect((await read("id: 1\n\nid\n\nretry: 1s\n\n")).resumption).toEqual({});
  });
});

describe("long events", () => {
  const long = "x".repeat(EVENT_LIMIT + 1);

  test("are handed over as they come, others as a whole", async () => {
    const text = `data: ${long.slice(1)}\n\nevent: message\nid: 7\ndata: ${long}\ndata: more\nid: 8\n\ndata: next\n\n`;
    for (const cuts of [[], [10, 70_000, 131_000, 131_120], everyByte(4_000).map((at) => at * 32)]) {
      expect((await read(text, cuts)).seen).toEqual([
        { type: "message", data: long.slice(1), isLong: false },
        { type: "message", id: "7", data: `${long}\nmore`, isLong: true },
        { type: "message", id: "8", data: "next", isLong: false },
      ]);
    }
  });

  test("that nobody reads are passed over", async () => {
    const { events } = readEventSource(
      source(utf8(`data: ${long}\ndata: b\nevent: other\n\ndata: next\n\n`), [65_550]),
    );
    const lengths: number[] = [];
    for await (const { data } of events) lengths.push(data.head.length);
    expect(lengths.at(-1)).toBe(4);
    expect(lengths).toHaveLength(2);
  });

  test("that turn out to be of another type were withdrawn", async () => {
    await expect(read(`data: ${long}\nevent: aborted\n\n`)).rejects.toMatchObject({ reason: "broken_off" });
  });

  test("come while the event goes on", async () => {
    const pieces = [utf8(`data: ${long}`), utf8("middle"), utf8("end\n\n")];
    let asked = 0;
    const { events } = readEventSource({ read: async () => pieces[asked++], cancel: async () => undefined });
    const { value } = await events.next();
    expect([asked, value?.data.head.length]).toEqual([1, long.length]);
    expect(decodeUtf8((await value?.data.read?.()) ?? new Uint8Array())).toBe("middle");
    expect(asked).toBe(2);
  });
});

describe("limits", () => {
  test.each(["id", "event"])("a long %s is refused", async (name) => {
    expect((await read(`${name}: ${"x".repeat(4_096)}\ndata: a\n\n`, [100])).seen).toHaveLength(1);
    await expect(read(`${name}: ${"x".repeat(4_097)}\ndata: a\n\n`, [100])).rejects.toMatchObject({
      reason: "too_large",
    });
  });

  test("comments and unknown fields may be long: they are not kept", async () => {
    const text = `:${"x".repeat(100_000)}\n${"y".repeat(100_000)}\nz: ${"z".repeat(100_000)}\ndata: a\n\n`;
    expect(dataOf(await read(text, [50, 90_000, 150_000]))).toEqual(["a"]);
  });
});

test.each(["data: a", "data: a\n", "data\n", `data: ${"x".repeat(EVENT_LIMIT + 1)}\n`])(
  "a stream that ends within an event broke off",
  async (text) => {
    await expect(read(text)).rejects.toMatchObject({ reason: "broken_off" });
  },
);

test("a stream may end between events, or within one that has no data", async () => {
  expect(dataOf(await read(""))).toEqual([]);
  expect(dataOf(await read("data: a\n\n: comment"))).toEqual(["a"]);
  expect(dataOf(await read("data: a\n\nevent: b\nid: 3"))).toEqual(["a"]);
  expect(dataOf(await read(new Uint8Array([0xef, 0xbb])))).toEqual([]);
});
