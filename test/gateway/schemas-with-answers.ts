import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";

/** A schema, and an answer that it mostly takes. */
export interface Pair {
  readonly schema: unknown;
  readonly value: unknown;
}

export const CARD = "4111111111111111";
export const IBAN = "NL91ABNA0417164300";

const texts = fc.constantFrom(
  ...[
    "x",
    "EUR",
    "",
    "2026-11-27",
    CARD,
    `pays with ${CARD}`,
    `${CARD}${CARD}`,
    IBAN,
    `${IBAN} or ${CARD}.`,
    "Ada's secret",
    "aabb",
  ],
);
const numbers = fc.constantFrom(0, 1, -2, 1.5, 4111111111111111, 1e21, 12, -4111111111111111);
const names = fc.constantFrom("a", "b", "iban", "card", "items", "owner", CARD, "name");

const THEN = "then";

function either(condition: unknown, yes: unknown, no?: unknown): JsonObject {
  return { if: condition, [THEN]: yes, ...(no !== undefined && { else: no }) };
}

const textSchema = (value: string) =>
  fc.constantFrom<unknown>(
    { type: "string" },
    { type: "string", minLength: value.length, maxLength: value.length },
    { type: "string", pattern: `^${value.slice(0, 2).replaceAll(/[^a-zA-Z0-9]/g, ".")}` },
    { enum: [value, "other", 7] },
    { const: value },
    { oneOf: [{ const: value }, { const: "other" }, { type: "null" }] },
    { type: ["string", "null"], not: { const: "other" } },
    either({ const: value }, { minLength: value.length }, { maxLength: 0 }),
    { type: "string", not: { pattern: "[*]" } },
    { $ref: "#/$defs/text" },
    true,
    ...(/^\d{4}-/.test(value) ? [{ type: "string", format: "date" }] : []),
  );
const text = texts.chain((value) => textSchema(value).map((schema): Pair => ({ value, schema })));

const number = numbers.chain((value) =>
  fc
    .constantFrom<unknown>(
      { type: Number.isInteger(value) ? "integer" : "number" },
      { type: "number", minimum: value },
      { enum: [value, 5] },
      { const: value },
      { oneOf: [{ type: "integer" }, { type: "string" }, { const: 1.5 }] },
      { type: "number", not: { const: 77 } },
      {},
    )
    .map((schema): Pair => ({ value, schema })),
);
const other = fc.constantFrom<Pair>(
  { value: null, schema: { type: "null" } },
  { value: true, schema: { type: "boolean" } },
);

/** Ways to say the same of an object's members. */
function objectSchemas(members: readonly (readonly [string, Pair])[]): readonly unknown[] {
  const properties = Object.fromEntries(members.map(([name, { schema }]) => [name, schema]));
  const own = members.map(([name]) => name);
  const [first = "a"] = own;
  const half = Math.ceil(own.length / 2);
  const some = (from: number, to?: number) => Object.fromEntries(Object.entries(properties).slice(from, to));
  const rest = members.slice(half).map(([, { schema }]) => schema);
  const closed = { type: "object", properties, required: own, additionalProperties: false };
  return [
    closed,
    { type: "object", properties, required: own.slice(0, half), maxProperties: own.length },
    { type: "object", properties: some(0, half), additionalProperties: { anyOf: [...rest, { type: "null" }] } },
    { type: "object", patternProperties: { "^[a-c_0-9]": { anyOf: members.map(([, one]) => one.schema).concat({}) } } },
    {
      type: "object",
      allOf: [{ properties: some(0, half) }, { properties: some(half) }],
      unevaluatedProperties: false,
    },
    { type: "object", oneOf: [closed, { properties: { never: { type: "string" } }, required: ["never"] }] },
    { type: "object", anyOf: [closed, { required: ["never"] }], minProperties: own.length },
    { properties, dependentRequired: { [first]: own }, propertyNames: { maxLength: 20 } },
    { properties, dependentSchemas: { [first]: { required: own } } },
    { type: "object", ...either({ required: [first] }, { properties }, { required: ["never"] }) },
    {
      type: "object",
      ...either({ properties: some(0, half) }, { properties: some(half) }),
      unevaluatedProperties: false,
    },
    { type: "object", properties, not: { required: ["never"] } },
    { type: "object", $ref: "#/$defs/any", properties },
    { enum: [Object.fromEntries(members.map(([name, { value }]) => [name, value])), { a: CARD }, 7] },
  ];
}

function listSchemas(items: readonly Pair[]): readonly unknown[] {
  const all = items.map(({ schema }) => schema);
  const any = all.length === 0 ? {} : { anyOf: all };
  const prefixItems = all.length === 0 ? [{}] : all;
  return [
    { type: "array", items: any, minItems: items.length, maxItems: items.length },
    { type: "array", prefixItems, items: false },
    { type: "array", prefixItems, unevaluatedItems: false },
    { type: "array", items: any, uniqueItems: true },
    {
      type: "array",
      items: any,
      contains: all[0] ?? {},
      minContains: Math.min(1, items.length),
      maxContains: items.length,
    },
    { type: "array", items: { anyOf: [any, { $ref: "#/$defs/text" }] } },
    { type: ["array", "object"] },
  ];
}

const { pair } = fc.letrec<{ pair: Pair; object: Pair; list: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 3, depthIdentifier: "pair" },
    { weight: 4, arbitrary: text },
    { weight: 2, arbitrary: number },
    { weight: 1, arbitrary: other },
    { weight: 3, arbitrary: tie("object") },
    { weight: 2, arbitrary: tie("list") },
  ),
  object: fc
    .tuple(fc.uniqueArray(fc.tuple(names, tie("pair")), { selector: ([name]) => name, maxLength: 4 }), fc.nat())
    .map(([members, at]) => ({
      value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
      schema: pick(objectSchemas(members), at),
    })),
  list: fc
    .tuple(fc.array(tie("pair"), { maxLength: 3 }), fc.nat())
    .map(([items, at]) => ({ value: items.map(({ value }) => value), schema: pick(listSchemas(items), at) })),
}));

function pick<T>(all: readonly T[], at: number): T {
  return all[at % all.length] as T;
}

const DEFINITIONS = { text: { type: "string", maxLength: 60 }, any: { type: "object" } };

/** Pairs whose answer is an object, some by way of a reference. */
export const pairs: fc.Arbitrary<{ readonly schema: JsonObject; readonly value: JsonObject }> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(names, pair), { selector: ([name]) => name, minLength: 1, maxLength: 4 }),
    fc.nat(),
    fc.boolean(),
  )
  .map(([members, at, isReferred]) => {
    const own = pick(objectSchemas(members), at) as JsonObject;
    const schema = isReferred
      ? { type: "object", $ref: "#/$defs/root", $defs: { ...DEFINITIONS, root: own } }
      : { ...own, type: "object", $defs: DEFINITIONS };
    return { schema, value: Object.fromEntries(members.map(([name, { value }]) => [name, value])) };
  });

/** A pointer to something in the value, with `*` for items of lists; undefined: there is nothing. */
export function pointerIn(value: unknown, at: number): string | undefined {
  const all = pointersIn(value);
  return all.length === 0 ? undefined : pick(all, at);
}

function pointersIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => below("*", item)))];
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, one]) => [...below(name, one), ...below("*", one)])
    : [];
}

function below(name: string, value: unknown): readonly string[] {
  return [`/${name}`, ...pointersIn(value).map((rest) => `/${name}${rest}`)];
}

/** What pointers lead to, by another way than the product takes. */
export function foundAt(value: unknown, [first, ...rest]: readonly string[]): readonly unknown[] {
  if (first === undefined) return [value];
  if (typeof value !== "object" || value === null) return [];
  const all =
    first === "*"
      ? Object.values(value)
      : Object.hasOwn(value, first) && !Array.isArray(value)
        ? [(value as JsonObject)[first]]
        : [];
  return all.flatMap((one) => foundAt(one, rest));
}

/** Every text, number and name of a value. */
export function scalarsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  if (!isJsonObject(value)) return [value];
  return Object.values(value).flatMap(scalarsIn);
}
