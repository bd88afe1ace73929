import { assert, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { createProblemList } from "../../lib/openapi/documents/document-error.ts";
import { createEqualValues } from "../../lib/openapi/documents/equal-values.ts";
import { createSchemaExtractor } from "../../lib/openapi/documents/standalone-schema.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";

describe("equal values", () => {
  test("are one object, which is as they were, with the length of its text", () => {
    assert(
      property(jsonValue(), jsonValue(), (one, other) => {
        const equal = createEqualValues();
        const [first, second, again] = [one, other, structuredClone(one)].map((value) => equal.one({ value }));
        expect(JSON.stringify(first)).toBe(JSON.stringify({ value: one }));
        expect(again).toBe(first);
        expect(second === first).toBe(JSON.stringify(one) === JSON.stringify(other));
        expect(equal.lengthOf(first)).toBe(JSON.stringify({ value: one }).length);
      }),
    );
  });

  test("differ by the order of members, by type, and late in a text", () => {
    const equal = createEqualValues();
    const long = "x".repeat(500);
    const values = [{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: "1", b: 2 }, [1], ["1"], { 0: 1 }, [`${long}a`], [`${long}b`]];
    expect(new Set(values.map(equal.one)).size).toBe(values.length);
  });

  test("are found in time linear in their number, wherever in their texts they differ", () => {
    const long = "x".repeat(120);
    const values = (length: number) => {
      return Array.from({ length }, (_, n) => ({
        type: "string",
        pattern: `${long}${String(n).padStart(6, "0")}${long}`,
      }));
    };
    expect(growth(values, (all) => all.map(createEqualValues().one))).toBeLessThan(SUPER_LINEAR);
  });

  test("are those of JSON: what it has no word for is left out or null", () => {
    const equal = createEqualValues();
    const value = equal.one({ a: undefined, b: Number.POSITIVE_INFINITY, c: [Number.NaN] });
    expect(value).toBe(equal.one({ b: null, c: [null] }));
  });
});

describe("schemas that are taken out of a document", () => {
  const extractor = () => {
    const problems = createProblemList();
    return { problems, ...createSchemaExtractor({}, "request", problems, createEqualValues()) };
  };

  test("are one object wherever they are equal", () => {
    const { extract } = extractor();
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const first = extract(schema, "/a");
    expect(extract(schema, "/b")).toBe(first);
    expect(extract(structuredClone(schema), "/c")).toBe(first);
  });

  test("are told of in each place where something in them is wrong", () => {
    const { extract, problems } = extractor();
    const schema = { properties: { a: { $ref: "#/nowhere" }, b: { items: 5 } } };
    for (const pointer of ["/a", "/b"]) extract(schema, pointer);
    expect(problems.problems.map(({ pointer }) => pointer)).toEqual([
      "/a/properties/a",
      "/a/properties/b/items",
      "/b/properties/a",
      "/b/properties/b/items",
    ]);
  });
});
