import { describe, expect, test } from "vitest";
import { ITEM } from "../../console/pages/configuration-editor/schema-at.ts";
import { placeAt } from "../../console/pages/configuration-editor/yaml-place.ts";

/** The place of `|` in a text. */
function placeIn(text: string) {
  const lines = text.split("\n");
  const row = lines.findIndex((line) => line.includes("|"));
  const column = lines[row]?.indexOf("|") ?? 0;
  return placeAt(
    lines.map((line, index) => (index === row ? line.replace("|", "") : line)),
    row,
    column,
  );
}

describe("the place of a position in YAML", () => {
  test.each([
    ["|", [], "key", ""],
    ["log|", [], "key", "log"],
    ["logger:\n  |", ["logger"], "key", ""],
    ["logger:\n  level: in|", ["logger", "level"], "value", "in"],
    ["logger:\n  level:|", ["logger", "level"], "value", ""],
    ["apps:\n  - |", ["apps", ITEM], "key", ""],
    ["apps:\n- na|", ["apps", ITEM], "key", "na"],
    ["apps:\n  - name: a\n    ty|", ["apps", ITEM], "key", "ty"],
    ["apps:\n- name: a\n  ty|", ["apps", ITEM], "key", "ty"],
    ["apps:\n  - name: a\n    type: mcp\n  - name: b\n    type: |", ["apps", ITEM, "type"], "value", ""],
    [
      "apps:\n  - tools:\n      rules:\n        - tool: x\n          |",
      ["apps", ITEM, "tools", "rules", ITEM],
      "key",
      "",
    ],
    ["apps:\n  - name: a\n    tools:\n      rules:\n        - tool: x\n    |", ["apps", ITEM], "key", ""],
    ["a:\n  - - b|", ["a", ITEM, ITEM], "key", "b"],
    ["logger:\n  level: info\n\n  # a remark\n\n  |", ["logger"], "key", ""],
    ["'a b':\n  |", ["a b"], "key", ""],
    ["list: x\nlogger:\n  deep:\n    er: 1\n  |", ["logger"], "key", ""],
  ] as const)("%j", (text, path, kind, typed) => {
    expect(placeIn(text)).toMatchObject({ path, kind, typed });
  });

  test("there is none in comments and in texts of several lines", () => {
    expect(placeIn("logger: # le|")).toBeUndefined();
    expect(placeAt(["data: |", "  openapi: 3"], 1, 5)).toBeUndefined();
    expect(placeAt(["data: >-", "  one", "", "  two: 3"], 3, 5)).toBeUndefined();
  });

  test("siblings are those of the same mapping, above and below", () => {
    const text = "apps:\n  - name: a\n    |\n    type: proxy # web\n    tools:\n      x: 1\n  - other: b";
    expect([...(placeIn(text)?.siblings ?? [])]).toEqual([
      ["name", "a"],
      ["type", "proxy"],
      ["tools", ""],
    ]);
    const first = "apps:\n  - x: 1\n  - |\n    type: mcp\nlast: 1";
    expect([...(placeIn(first)?.siblings ?? [])]).toEqual([["type", "mcp"]]);
  });

  test("what stands around tells forms of entries apart", () => {
    const { around } = placeIn("apps:\n  - name: a\n    type: mcp\n    authorization:\n      |") ?? {};
    expect(around?.get(2)?.get("type")).toBe("mcp");
  });

  test("hostile texts end in bounded time", () => {
    const lines = Array.from({ length: 3_000 }, (_, depth) => `${" ".repeat(depth % 60)}- - - a: b:`);
    const begun = performance.now();
    placeAt(lines, 2_999, 40);
    placeAt([`${"- ".repeat(20_000)}x`], 0, 40_001);
    placeAt([`${" ".repeat(50_000)}a${" ".repeat(50_000)}`], 0, 100_001);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
