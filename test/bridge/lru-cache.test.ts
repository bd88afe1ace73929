import { expect, test } from "vitest";
import { lruCache } from "../../lib/kernel/lru-cache.ts";

const keptIn = (map: { get(key: string): unknown }, keys: string) => [...keys].filter((key) => map.get(key)).join("");

test("what was read longest ago makes room for as much as is put", () => {
  const map = lruCache<string, number>(10, (weight) => weight);
  for (const key of "abc") map.put(key, 3);
  expect(map.get("a")).toBe(3);
  map.put("d", 4);
  expect(keptIn(map, "abcd")).toBe("acd");
  map.put("e", 10);
  expect(keptIn(map, "abcde")).toBe("e");
});

test("a value that is heavier than all may be is kept alone", () => {
  const map = lruCache<string, number>(10, (weight) => weight);
  map.put("a", 1);
  map.put("b", 50);
  expect(keptIn(map, "ab")).toBe("b");
  map.put("a", 1);
  expect(keptIn(map, "ab")).toBe("a");
});

test("a key that is put again or deleted does not weigh twice", () => {
  const map = lruCache<string, number>(10, (weight) => weight);
  for (let n = 0; n < 5; n++) map.put("a", 4);
  map.put("b", 6);
  expect(keptIn(map, "ab")).toBe("ab");
  map.delete("a");
  map.delete("a");
  map.put("c", 4);
  expect(keptIn(map, "abc")).toBe("bc");
});
