import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { KINDS, type ListKind } from "../../../lib/upstream/catalog/kinds.ts";
import { readList } from "../../../lib/upstream/catalog/read-list.ts";
import { objections, shownTo } from "./reading-clients.ts";
import { answering } from "./upstream-lists.ts";

// Validators warn of formats that they do not know.
beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue());

const good = (kind: ListKind): JsonObject => ({
  name: "good",
  ...(kind === "tools"
    ? { inputSchema: { type: "object" } }
    : KINDS[kind].identifier !== "name" && identified(kind, "good")),
});
const bad = (kind: ListKind, members: JsonObject): JsonObject => ({
  ...good(kind),
  name: "bad",
  ...(KINDS[kind].identifier !== "name" && identified(kind, "bad")),
  ...members,
});
const identified = (kind: ListKind, name: string) => ({ [KINDS[kind].identifier]: `a:${name}` });

const object = (more: JsonObject) => ({ type: "object", ...more });
const property = (schema: unknown) => object({ properties: { a: schema } });

const ANYWHERE: readonly JsonObject[] = [
  { title: 5 },
  { title: null },
  { _meta: [] },
  { _meta: null },
  { icons: {} },
  { icons: [{}] },
  { icons: [{ src: 1 }] },
  { icons: [{ src: "x", sizes: "48x48" }] },
  { icons: [{ src: "x", mimeType: 5 }] },
  { icons: [{ src: "x", theme: "blue" }] },
];
const OF_RESOURCES: readonly JsonObject[] = [
  { mimeType: null },
  { annotations: null },
  { annotations: { audience: "user" } },
  { annotations: { audience: ["bot"] } },
  { annotations: { priority: 5 } },
  { annotations: { priority: "1" } },
  { annotations: { lastModified: "yesterday" } },
  { annotations: { lastModified: "2025-01-01" } },
  { annotations: { lastModified: "2025-01-01T00:00:00" } },
  { annotations: { lastModified: "2025-02-29T00:00:00Z" } },
  { annotations: { lastModified: 5 } },
];
/** Each with one member that clients do without. */
const OPTIONAL: readonly (readonly [kind: ListKind, members: JsonObject])[] = [
  ...(Object.keys(KINDS) as ListKind[]).flatMap((kind) => ANYWHERE.map((members) => [kind, members] as const)),
  ...OF_RESOURCES.flatMap((members) => [["resources", members] as const, ["resourceTemplates", members] as const]),
  ["resources", { size: "5" }],
  ["resources", { size: null }],
  ["resources", { size: Number.POSITIVE_INFINITY }],
  ["tools", { execution: { taskSupport: "sometimes" } }],
  ["tools", { execution: null }],
  ["tools", { annotations: { readOnlyHint: "yes" } }],
  ["tools", { annotations: { title: 5 } }],
  ...[
    null,
    true,
    object({ properties: [] }),
    object({ required: "a" }),
    ...[null, "text", []].map(property),
    ...[
      { type: "text" },
      { pattern: "(?i)a" },
      { minLength: "5" },
      { enum: [] },
      { nullable: true },
      { nullable: 5, type: "string" },
    ].map(property),
    ...[{ maximum: Number.POSITIVE_INFINITY }, { exclusiveMinimum: true, type: "number" }].map(property),
    ...[{ $ref: "#/$defs/None" }, { $ref: "#/components/schemas/A" }, { $ref: "https://x.example/a" }].map(property),
    ...[{ $ref: "#/properties/%" }, { $ref: 5 }, { $anchor: "!" }, { $dynamicRef: "a" }, { items: "a" }].map(property),
    ...[
      { $ref: "#/properties/a" },
      { anyOf: [{ $ref: "#/properties/a" }] },
      { not: { $ref: "#/properties/a/not" } },
    ].map(property),
    object({ allOf: [{ $ref: "#" }] }),
    object({ $defs: { A: { if: { $ref: "#/$defs/B" } }, B: { $ref: "#/$defs/A" } }, anyOf: [{ $ref: "#/$defs/B" }] }),
    object({ patternProperties: { "[": {} } }),
    object({ $defs: { A: { type: "none" } }, anyOf: [{ $ref: "#/$defs/A" }] }),
    object({ $schema: "http://json-schema.org/draft-04/schema#" }),
    object({ $schema: 5 }),
    object({ $id: "a", properties: { a: { $id: "b" }, b: { $id: "b" } } }),
  ].map((outputSchema) => ["tools", { outputSchema }] as const),
];

describe("a list of which an upstream wrote something that clients do not read", () => {
  test.each(OPTIONAL)("%s: an entry stays without %o", async (kind, members) => {
    const [name = ""] = Object.keys(members);
    const entries = [good(kind), bad(kind, members)];
    for (const generation of ["session", "stateless"] as const) {
      expect(await shownTo(generation, kind, entries)).toEqual([good(kind), bad(kind, {})]);
    }
    const { malformed, reduced } = await readList(kind, answering({ [kind]: entries }).ask);
    expect(malformed).toEqual([]);
    expect(reduced).toEqual([{ reason: name, count: 1, example: kind.startsWith("resource") ? '"a:bad"' : '"bad"' }]);
    expect(await objections(kind, entries)).toEqual([]);
  });

  test.each<readonly [ListKind, JsonObject]>([
    ["tools", { inputSchema: property(null) }],
    ["tools", { inputSchema: property("text") }],
    ["tools", { inputSchema: object({ $schema: 5 }) }],
    ["tools", { inputSchema: object({ required: [1] }) }],
    ["tools", { description: 5 }],
    ["prompts", { arguments: null }],
    ["prompts", { arguments: [{ name: "a", required: null }] }],
    ["prompts", { arguments: [{}] }],
    ["resources", { name: 5 }],
    ["resourceTemplates", { description: null }],
  ])("%s: what matters costs the entry: %o", async (kind, members) => {
    const entries = [good(kind), bad(kind, members)];
    expect(await shownTo("session", kind, entries)).toEqual([good(kind)]);
    expect(await objections(kind, entries)).toEqual([]);
  });

  test.each([
    { type: "string" },
    { type: ["object", "null"] },
    { anyOf: [{ type: "object" }] },
    { properties: { a: { type: "string" } } },
  ])(
    "an output schema whose root is no object's is for agents of the stateless generation: %o",
    async (outputSchema) => {
      const entries = [good("tools"), bad("tools", { outputSchema })];
      expect(await shownTo("session", "tools", entries)).toEqual([good("tools"), bad("tools", {})]);
      expect(await shownTo("stateless", "tools", entries)).toEqual(entries);
      expect(await objections("tools", entries)).toEqual([]);
    },
  );

  test("schemas that are true or false are objects that mean the same", async () => {
    const [before, after] = [
      object({ properties: { a: true, b: false, c: { items: true } }, required: ["a"] }),
      object({ properties: { a: {}, b: { not: {} }, c: { items: true } }, required: ["a"] }),
    ];
    const entries = [bad("tools", { inputSchema: before, outputSchema: before })];
    expect(await shownTo("session", "tools", entries)).toEqual([
      bad("tools", { inputSchema: after, outputSchema: after }),
    ]);
    expect(await objections("tools", entries)).toEqual([]);
  });

  test("one server's output schema is not taken for another's with the same $id", async () => {
    const entries = [
      bad("tools", { name: "a", outputSchema: { $id: "x", ...property({ type: "string" }) } }),
      bad("tools", { name: "b", outputSchema: { $id: "x", ...property({ $ref: "#" }) } }),
    ];
    const shown = await shownTo("session", "tools", entries);
    expect(shown.map(({ outputSchema }) => outputSchema)).toEqual([
      property({ type: "string" }),
      property({ $ref: "#" }),
    ]);
    expect(await objections("tools", entries)).toEqual([]);
  });

  test.each([
    object({ $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { items: [{}, true] } } }),
    object({ $defs: { "A[b c]/~%": { type: "string" } }, properties: { a: { $ref: "#/$defs/A%5Bb%20c%5D~1~0%25" } } }),
    object({ properties: { a: { $ref: "#" }, b: { $ref: "#/properties/a" }, $id: { type: "string" } } }),
    object({
      $defs: { A: { items: { $ref: "#/$defs/B" } }, B: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }] } },
    }),
    object({ anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/A" }], $defs: { A: { required: ["a"] } } }),
    object({ definitions: { Unused: { type: "none" } }, dependencies: { a: ["b"], b: { required: ["c"] } } }),
    object({ properties: { a: { type: "string", nullable: true, format: "odd", "x-vendor": 5 } }, "x-vendor": null }),
  ])("what clients make sense of stays: %o", async (outputSchema) => {
    const entries = [bad("tools", { outputSchema })];
    for (const generation of ["session", "stateless"] as const) {
      expect(await shownTo(generation, "tools", entries)).toEqual(entries);
    }
    expect(await objections("tools", entries)).toEqual([]);
  });
});

const KEYWORDS =
  "type properties required items enum const pattern format minimum maxLength uniqueItems anyOf allOf not if then " +
  "additionalProperties patternProperties propertyNames dependencies dependentRequired dependentSchemas contains " +
  "prefixItems unevaluatedProperties nullable $ref $defs $schema $id $anchor $dynamicRef $recursiveRef minContains " +
  "multipleOf maxItems additionalItems discriminator $comment default examples title description";

const { schema } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(true, false, null, 0, 1, -1, 1.5, "", "object", "string", ["object", "null"], [], {}, [
      "a",
    ]),
    fc.constantFrom("#", "#/properties/a", "#/$defs/a", "a", "[", "2025-01-01T00:00:00Z", Number.POSITIVE_INFINITY),
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "["), tie("schema"), { maxKeys: 2 }),
  ),
  schema: fc.dictionary(fc.constantFrom(...KEYWORDS.split(" ")), tie("value"), { maxKeys: 3 }),
}));

const MEMBERS = "title description icons _meta annotations execution size mimeType arguments".split(" ");

test("whatever a server lists, clients read what is left of it", async () => {
  const member = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>("text", {}, [{}], [{ src: "x" }], [{ name: "x" }], { priority: 2 }, { title: null }),
  );
  const kinds = fc.constantFrom(...(Object.keys(KINDS) as ListKind[]));
  const schemas = fc.record({
    type: fc.constant("object"),
    properties: fc.dictionary(fc.constantFrom("a", "b"), schema),
  });
  const outputSchema = fc.oneof(
    schema,
    schemas,
    fc.tuple(schemas, schema).map(([one, other]) => ({ ...other, ...one })),
  );
  await fc.assert(
    fc.asyncProperty(
      kinds,
      fc.dictionary(fc.constantFrom(...MEMBERS), member, { maxKeys: 2 }),
      outputSchema,
      async (kind, members, outputSchema) => {
        const schemas = kind === "tools" ? { outputSchema } : {};
        expect(await objections(kind, [good(kind), bad(kind, { ...members, ...schemas })])).toEqual([]);
      },
    ),
    { numRuns: 300, examples: [["tools", {}, property({ $ref: "#/properties/a" }) as never]] },
  );
});
