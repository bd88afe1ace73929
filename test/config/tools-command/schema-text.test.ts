import { describe, expect, test } from "vitest";
import { schemaText } from "../../../infra/node/commands/tools/schema-text.ts";

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const properties = (...names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
/** Six references deep, and back to where it began. */
const DEFS = {
  A: { allOf: [ref("B"), properties("e")] },
  B: { allOf: [{ allOf: [ref("C")] }, properties("d")] },
  C: { allOf: [ref("D"), properties("c", "b"), ref("A")] },
  D: { type: "object", ...properties("a", "b") },
  List: { type: "array", items: ref("List") },
  Round: ref("Round"),
};

describe("a type in a few words", () => {
  test.each([
    [ref("A"), "object {e, d, c, b, a}", "object {e, d, … (5)}"],
    [{ enum: [1, 2, 3] }, "1 | 2 | 3", "1 | 2 | … (3)"],
    [{ type: "object" }, "object", "object"],
    [{ type: "array", items: ref("A") }, "array of object", "array of object"],
    [ref("List"), "array of array of array of array of array", "array of array of array of array of array"],
    [ref("Round"), "any", "any"],
  ])("of %j is whole, or as long as it may be", (schema, whole, short) => {
    expect(schemaText(schema, DEFS)).toBe(whole);
    expect(schemaText(schema, DEFS, 2)).toBe(short);
  });
});
