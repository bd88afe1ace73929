import type { Schema } from "@cfworker/json-schema";
import type { JsonSchema } from "./catalog.ts";
import { SUBSCHEMA, SUBSCHEMA_LIST, SUBSCHEMA_MAP } from "./openapi/keywords.ts";

/** Longest string, and longest member name, that meets a pattern of a document. */
export const PATTERN_INPUT_LIMIT = 10_000;

/** Formats that the validator checks in time linear in the string. It takes exponential time for `url`. */
export const CHECKED_FORMATS = new Set(
  (
    "date time date-time duration uri uri-reference uri-template email hostname ipv4 ipv6 regex uuid json-pointer " +
    "json-pointer-uri-fragment relative-json-pointer"
  ).split(" "),
);

/** Characters of a list of accepted values that an error still quotes. */
const QUOTED_VALUES_LIMIT = 500;

/** No two schemas share one: uses are counted on each (`counted-uses.ts`). */
function patternGuard() {
  return { maxLength: PATTERN_INPUT_LIMIT, propertyNames: { maxLength: PATTERN_INPUT_LIMIT } };
}

/**
 * The copy of a schema that the validator works on: what an agent could use to keep the validator busy is taken out
 * (`uniqueItems`, see `unique-items.ts`; formats other than `CHECKED_FORMATS`) or put behind a limit (`pattern`,
 * `patternProperties`: a longer string fails them). What remains: a document's pattern that takes exponential time does so
 * on a short string, too. Integers end where parsing JSON loses digits, so that no id becomes that of something else.
 * Patterns are the operator's choice, like the document they come with.
 */
export function boundedSchema(schema: JsonSchema): Schema {
  const { $defs, ...rest } = bounded(schema);
  // References lead to definitions of the outermost schema.
  return { ...guarded(rest), ...($defs !== undefined && { $defs: map($defs) }) };
}

function copy(schema: unknown): unknown {
  return typeof schema === "object" && schema !== null ? guarded(bounded(schema)) : schema;
}

function bounded(schema: object): Readonly<Record<string, unknown>> {
  const members = Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => keywordOf(keyword, value)));
  return isOfIntegers(members) ? { ...members, ...exactly(members) } : members;
}

function isOfIntegers({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === "integer" || (Array.isArray(type) && type.includes("integer") && !type.includes("number"));
}

function exactly({ minimum, maximum }: Readonly<Record<string, unknown>>) {
  return {
    minimum: Math.max(typeof minimum === "number" ? minimum : Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
    maximum: Math.min(typeof maximum === "number" ? maximum : Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  };
}

function keywordOf(keyword: string, value: unknown): [string, unknown][] {
  if (keyword === "uniqueItems" || (keyword === "format" && !CHECKED_FORMATS.has(String(value)))) return [];
  if (keyword === "enum" && Array.isArray(value)) return [[keyword, briefly(value)]];
  if (SUBSCHEMA.has(keyword)) return [[keyword, copy(value)]];
  if (SUBSCHEMA_LIST.has(keyword) && Array.isArray(value)) return [[keyword, value.map(copy)]];
  if (SUBSCHEMA_MAP.has(keyword)) return [[keyword, map(value)]];
  return [[keyword, value]];
}

function map(schemas: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schemas as object).map(([name, schema]) => [name, copy(schema)]));
}

/** Patterns are tried only when the guard holds: every string that they could meet is short. Else the guard's error says so. */
function guarded(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const hasPattern = schema.pattern !== undefined || schema.patternProperties !== undefined;
  return hasPattern ? { ...patternGuard(), if: { not: patternGuard() }, else: schema } : schema;
}

/** The validator writes the whole list into each of its errors, of which a large value can have thousands. */
function briefly(values: readonly unknown[]): readonly unknown[] {
  if (JSON.stringify(values).length <= QUOTED_VALUES_LIMIT) return values;
  return Object.defineProperty([...values], "toJSON", { value: () => `the ${values.length} accepted values` });
}
