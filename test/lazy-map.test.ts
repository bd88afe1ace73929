import { expect, test } from "vitest";
import { lazyMap } from "../lib/kernel/lazy-map.ts";

test("values are made when they are first read, once, and come in the order of their sources", () => {
  const made: string[] = [];
  const map = lazyMap(new Map([1, 2, 3].map((key) => [`k${key}`, key])), (source, key) => {
    made.push(key);
    return { source };
  });
  expect([map.size, map.has("k2"), map.has("k9"), [...map.keys()]]).toEqual([3, true, false, ["k1", "k2", "k3"]]);
  expect(map.get("k9")).toBeUndefined();
  expect(made).toEqual([]);
  const second = map.get("k2");
  expect([second, map.get("k2")]).toEqual([{ source: 2 }, { source: 2 }]);
  expect(made).toEqual(["k2"]);
  expect([...map.values()].map(({ source }) => source)).toEqual([1, 2, 3]);
  expect([...map][1]).toEqual(["k2", second]);
  expect([...map.values()][1]).toBe(second);
  const seen: string[] = [];
  map.forEach((_, key) => {
    seen.push(key);
  });
  expect([seen, made]).toEqual([
    ["k1", "k2", "k3"],
    ["k2", "k1", "k3"],
  ]);
});

test("a value may be undefined, and a map of a map makes no more than is read", () => {
  const made: string[] = [];
  const inner = lazyMap(
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
    (source, key) => {
      made.push(key);
      return key === "a" ? undefined : source;
    },
  );
  const outer = lazyMap(inner, (value) => value ?? "none");
  expect([outer.get("a"), inner.get("a"), outer.size]).toEqual(["none", undefined, 2]);
  expect(made).toEqual(["a"]);
});
