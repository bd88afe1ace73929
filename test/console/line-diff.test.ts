import { describe, expect, test } from "vitest";
import { lineDiff } from "../../console/parts/line-diff.ts";

describe("line diff", () => {
  test.each([
    ["nothing changed", "a\nb", "a\nb", [" a", " b"]],
    ["a line changed", "a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
    ["lines at the start", "b", "a\nb", ["+a", " b"]],
    ["lines at the end", "a", "a\nb", [" a", "+b"]],
    ["a line gone", "a\nb\nc", "a\nc", [" a", "-b", " c"]],
    ["the same line twice", "a\na", "a\na\na", [" a", " a", "+a"]],
    ["common lines between changes", "a\nb\nc\nd", "x\nb\nc\ny", ["-a", "+x", " b", " c", "-d", "+y"]],
    ["lines in another order", "a\nb", "b\na", ["-a", " b", "+a"]],
    ["nothing in common", "a\nb", "x", ["-a", "-b", "+x"]],
    ["an empty text", "", "a", ["-", "+a"]],
  ])("%s", (_, before, after, lines) => {
    const signs = { same: " ", removed: "-", added: "+" } as const;
    expect(lineDiff(before, after)?.map(({ kind, text }) => signs[kind] + text)).toEqual(lines);
  });

  test("texts of some thousand other lines are not compared", () => {
    const text = (word: string) => Array.from({ length: 3_000 }, (_, line) => `${word} ${line}`).join("\n");
    expect(lineDiff(text("old"), text("new"))).toBeUndefined();
    expect(lineDiff(text("old"), text("old"))).toHaveLength(3_000);
  });
});
