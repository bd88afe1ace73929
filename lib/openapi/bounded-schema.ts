import type { Schema } from "@cfworker/json-schema";
import { isJsonObject } from "../kernel/json.ts";
import type { JsonSchema } from "./catalog.ts";
import { SUBSCHEMA, SUBSCHEMA_LIST, SUBSCHEMA_MAP } from "./documents/keywords.ts";

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

/** No two schemas share one: uses are counted on each (`step-limits.ts`). */
function patternGuard() {
  return { maxLength: PATTERN_INPUT_LIMIT, propertyNames: { maxLength: PATTERN_INPUT_LIMIT } };
}

/**
 * The copy of a schema that the validator works on: what an agent could use to keep the validator busy is taken out
 * (`uniqueItems`, see `unique-items.ts`; formats other than `CHECKED_FORMATS`; patterns that may take exponential time, which
 * they do on a short string, too, and others on strings that are long for them: what they ask for is left to the API) or put
 * behind a limit (`pattern`, `patternProperties`: a longer string fails them). Integers end where parsing JSON loses digits, so that no id becomes
 * that of something else.
 */
export function boundedSchema(schema: JsonSchema): Schema {
  const { $defs, ...rest } = bounded(schema);
  // References lead to definitions of the outermost schema.
  return { ...guarded(rest), ...($defs !== undefined && { $defs: map($defs) }) };
}

function copy(schema: unknown): unknown {
  return isJsonObject(schema) ? guarded(bounded(schema)) : schema;
}

/** What says something of members by the patterns of their names, and of those that meet none. */
const OF_PATTERNS = new Set(["patternProperties", "additionalProperties", "unevaluatedProperties"]);

function bounded(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const isSlow = isJsonObject(schema.patternProperties) && Object.keys(schema.patternProperties).some(isEverSlow);
  const entries = Object.entries(schema).filter(([keyword]) => !isSlow || !OF_PATTERNS.has(keyword));
  const members = Object.fromEntries(entries.flatMap(([keyword, value]) => keywordOf(keyword, value)));
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
  if (keyword === "pattern" && isSlowPattern(String(value))) return [];
  // A schema that asks for less would have these refuse more.
  if (["not", "oneOf", "if"].includes(keyword) && holdsSlowPattern(value)) return [];
  if (keyword === "uniqueItems" || (keyword === "format" && !CHECKED_FORMATS.has(String(value)))) return [];
  if (keyword === "enum" && Array.isArray(value)) return [[keyword, briefly(value)]];
  if (SUBSCHEMA.has(keyword)) return [[keyword, copy(value)]];
  if (SUBSCHEMA_LIST.has(keyword) && Array.isArray(value)) return [[keyword, value.map(copy)]];
  if (SUBSCHEMA_MAP.has(keyword)) return [[keyword, map(value)]];
  return [[keyword, value]];
}

/** Definitions that it refers to are not looked into. */
function holdsSlowPattern(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(holdsSlowPattern);
  if (!isJsonObject(schema)) return false;
  const { pattern, patternProperties = {} } = schema;
  if (typeof pattern === "string" && isEverSlow(pattern)) return true;
  return Object.keys(patternProperties as object).some(isEverSlow) || Object.values(schema).some(holdsSlowPattern);
}

function map(schemas: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schemas as object).map(([name, schema]) => [name, copy(schema)]));
}

/** On a string that the guard lets pass. */
function isEverSlow(pattern: string): boolean {
  return isSlowPattern(pattern) || safeLength(pattern) < PATTERN_INPUT_LIMIT;
}

/** Patterns are tried only when the guard holds: every string that they could meet is short. Else the guard's error says so. */
function guarded(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { pattern, ...rest } = schema;
  const limit = typeof pattern === "string" ? safeLength(pattern) : PATTERN_INPUT_LIMIT;
  if (limit < PATTERN_INPUT_LIMIT) {
    const before = Array.isArray(rest.allOf) ? rest.allOf : [];
    return guarded({ ...rest, allOf: [...before, { if: { not: { maxLength: limit } }, else: { pattern } }] });
  }
  const hasPattern = pattern !== undefined || schema.patternProperties !== undefined;
  return hasPattern ? { ...patternGuard(), if: { not: patternGuard() }, else: schema } : schema;
}

/** The validator writes the whole list into each of its errors, of which a large value can have thousands. */
function briefly(values: readonly unknown[]): readonly unknown[] {
  if (JSON.stringify(values).length <= QUOTED_VALUES_LIMIT) return values;
  return Object.defineProperty([...values], "toJSON", { value: () => `the ${values.length} accepted values` });
}

/**
 * Whether a search for a regular expression may take time exponential in the text: something repeats that holds a repetition or
 * alternatives itself, so that there can be many ways to read the same text. Some of which this is said are harmless.
 */
function isSlowPattern(pattern: string): boolean {
  /** Of the groups that are open, the outermost first: whether there is such a thing in them. */
  const holds = [false];
  let isAfterOne = false;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const inner = token === ")" ? holds.pop() === true : false;
    if (token.startsWith("(")) holds.push(false);
    else if (isRepetition(token) && isAfterOne) return true;
    else if (inner || token === "|" || isRepetition(token)) holds[holds.length - 1] = true;
    isAfterOne = inner;
  }
  return false;
}

/**
 * Characters of a text that a search for a regular expression that is not slow goes through in some 10⁸ steps at most. Each
 * repetition may end at every character, and a search that is not anchored may begin at each.
 */
function safeLength(pattern: string): number {
  const repetitions = [...pattern.matchAll(TOKEN)].filter(([token]) => isRepetition(token)).length;
  const degree = repetitions + (pattern.startsWith("^") ? 0 : 1);
  return SAFE_LENGTHS[degree] ?? LEAST_SAFE_LENGTH;
}

/** By the number of positions that are free: the n-th root of 10⁸ n! */
const SAFE_LENGTHS = [10_000, 10_000, 10_000, 800, 220, 100];
const LEAST_SAFE_LENGTH = 60;

/** An escape, a class, the beginning or end of a group, a quantifier, or one character (ECMA-262, Patterns). */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\{\d+(?:,\d*)?\}|./gsu;

/** How often a part may repeat at most so that the ways to read it stay few. */
const FEW = 10;

function isRepetition(token: string): boolean {
  if (token === "*" || token === "+") return true;
  const [, least = "0", range, most = ""] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(token) ?? [];
  if (range === undefined) return Number(least) > FEW;
  return most === "" || Number(most) > FEW;
}
