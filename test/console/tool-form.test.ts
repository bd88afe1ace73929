import { expect, test } from "vitest";
import { collect, collectText, type Draft, draftOf } from "../../console/pages/tool/form-values.ts";
import { rowsOf, type Schema } from "../../console/pages/tool/schema.ts";

const SCHEMA: Schema = {
  type: "object",
  required: ["title", "kind"],
  additionalProperties: false,
  properties: {
    title: { type: "string", minLength: 2, description: "Of the book." },
    copies: { type: ["integer", "null"], minimum: 1, default: 1 },
    kind: { enum: ["book", 7, null] },
    lent: { type: "boolean" },
    author: { $ref: "#/$defs/author" },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    editions: {
      type: "array",
      items: { type: "object", properties: { year: { type: "integer" } }, required: ["year"] },
    },
    more: { type: "object", additionalProperties: true },
    "a/b": { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  $defs: {
    author: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, next: { $ref: "#/$defs/author" } },
    },
  },
};

const FILLED: Draft = {
  title: "Middlemarch",
  copies: "3",
  kind: "1",
  lent: "false",
  author: { name: "George Eliot" },
  tags: ["novel"],
  editions: [{ year: "1871" }],
  more: '{"pages": 880}',
  "a/b": "5",
};

const VALUE = {
  ...{ title: "Middlemarch", copies: 3, kind: 7, lent: false, author: { name: "George Eliot" }, tags: ["novel"] },
  ...{ editions: [{ year: 1871 }], more: { pages: 880 }, "a/b": 5 },
};

test("fields become the arguments that they say, and arguments become fields again", () => {
  expect(collect(FILLED, SCHEMA)).toEqual({ value: VALUE, mistakes: {} });
  expect(collect(draftOf(VALUE, SCHEMA, SCHEMA), SCHEMA)).toEqual({ value: VALUE, mistakes: {} });
  expect(collectText(JSON.stringify(VALUE), SCHEMA)).toEqual({ value: VALUE, mistakes: {} });
});

test("empty fields are no arguments", () => {
  const { value } = collect({ title: "Emma", kind: "0", copies: "", lent: "", author: { name: "" }, tags: [] }, SCHEMA);
  expect(value).toEqual({ title: "Emma", kind: "book" });
});

const MISTAKEN: readonly (readonly [string, Draft, Readonly<Record<string, unknown>>])[] = [
  ["what is required and is not there", {}, { "/title": "It is required.", "/kind": "It is required." }],
  ["a text that is too short", { title: "E", kind: "0" }, { "/title": expect.stringContaining("too short") }],
  ["what is no number", { title: "Emma", kind: "0", copies: "many" }, { "/copies": "Write a whole number." }],
  ["a number that is not whole", { title: "Emma", kind: "0", copies: "1.5" }, { "/copies": expect.any(String) }],
  ["what is no JSON", { title: "Emma", kind: "0", "a/b": "{" }, { "/a~1b": "This is no JSON." }],
  ["too many entries", { title: "Emma", kind: "0", tags: ["a", "b", "c"] }, { "/tags": expect.any(String) }],
  [
    "a member that is missing below",
    { title: "Emma", kind: "0", author: { next: { name: "x" } } },
    { "/author/name": "It is required." },
  ],
  [
    "a member that is missing in an entry",
    { title: "Emma", kind: "0", editions: [{}] },
    { "/editions/0/year": "It is required." },
  ],
];

test.each(MISTAKEN)("%s is told at its place", (_, draft, mistakes) => {
  expect(collect(draft, SCHEMA).mistakes).toEqual(mistakes);
});

test("a text that is not one JSON object is told", () => {
  for (const text of ["{", "[]", "1"])
    expect(collectText(text, SCHEMA).mistakes).toEqual({ "": "Write one JSON object." });
});

test("a table has each member with its type and limits, and an end where a schema names itself", () => {
  const rows = rowsOf(SCHEMA);
  expect(rows.slice(0, 3)).toEqual([
    { path: "title", type: "string", isRequired: true, description: "Of the book.", limits: ["at least 2 characters"] },
    {
      path: "copies",
      type: "integer or null",
      isRequired: false,
      description: undefined,
      limits: ["at least 1", "by default 1"],
    },
    { path: "kind", type: "any", isRequired: true, description: undefined, limits: ['one of "book", 7, null'] },
  ]);
  expect(rows.map(({ path }) => path)).toContain("editions[].year");
  expect(rows.map(({ path }) => path)).toContain("author.next.next.name");
  expect(rows.length).toBeLessThan(40);
});
