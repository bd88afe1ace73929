import { describe, expect, test } from "vitest";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { isJsonObject, jsonExceeds, parseJsonObject } from "../../lib/kernel/json.ts";

describe("37. JSON of strangers", () => {
  test("an object is neither null nor an array", () => {
    expect([{}, null, [], "x", 1, undefined].map(isJsonObject)).toEqual([true, false, false, false, false, false]);
  });

  test("only an object in UTF-8 without a byte order mark is parsed", () => {
    expect(parseJsonObject(utf8('{"a":"é"}'))).toEqual({ a: "é" });
    const refused = ["", "{", "[]", "null", '"x"', '\uFEFF{"a":1}', '{"a":1} x'];
    for (const text of refused) expect(parseJsonObject(utf8(text))).toBeUndefined();
    expect(parseJsonObject(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))).toBeUndefined();
  });

  test("levels and values are counted without using the stack", () => {
    const depths = (value: unknown, ...limits: number[]) => limits.map((depth) => jsonExceeds(value, { depth }));
    expect([depths("x", 1), depths([], 1), depths([[]], 1, 2)]).toEqual([[false], [false], [true, false]]);
    expect(depths({ a: [{ b: 1 }] }, 3, 4)).toEqual([true, false]);
    const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(depths(deep, 100, 99_999, 100_000)).toEqual([true, true, false]);
    expect([4, 5].map((nodes) => jsonExceeds({ a: [1, 2], b: 3 }, { depth: 9, nodes }))).toEqual([true, false]);
  });
});
