import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { JsonSchema } from "../catalog.ts";
import { type DefinedSchemas, namesReachable } from "../catalog-texts.ts";
import { lastName } from "./bundle-shape.ts";
import { below, type DocumentProblem, type ProblemList } from "./document-error.ts";
import type { EqualValues } from "./equal-values.ts";
import { createHiddenMembers, type Direction } from "./hidden-members.ts";
import { IN_PLACE, isValidDataKeyword, SUBSCHEMA, SUBSCHEMA_LIST, SUBSCHEMA_MAP } from "./keywords.ts";
import { bounded } from "./plain.ts";
import { follow, referenceOf, resolve, type Target } from "./reference.ts";
import { admittingNull, describing, isChoice, possible, withoutChoice } from "./schema-adjustments.ts";

const DESCRIPTION_LIMIT = 600;
/** Schemas taken out in the place of references, for one definition: each of them can lead to several more. */
const MAX_INLINED = 1_000;

/** Takes schemas out of one document so that they stand alone: references become `$defs`, cycles stay cycles. */
export interface SchemaExtractor {
  /** The schema, with references into what `definitions` returns. */
  extract(schema: unknown, pointer: string): JsonSchema | boolean;
  /** The definitions that these extracted schemas need. */
  definitionsOf(schemas: readonly unknown[]): DefinedSchemas;
  /** Whether the JSON text of an extracted schema has more characters, together with the definitions that it needs. */
  isLongerThan(limit: number, schema: unknown): boolean;
  /** What is wrong with the definitions that an extracted schema needs. */
  problemsOf(schema: unknown): readonly DocumentProblem[];
  /**
   * The result of work of this name on an object of the document: done once, however many operations lead there, and each time where
   * something is wrong.
   */
  once<T>(name: string, about: object, work: () => T): T;
  /** Whether any schema so far names a header (`x-mcp-header`). */
  namesHeaders(): boolean;
}

/** Where a schema stands that is taken out. */
interface Place {
  /** The definition that it holds for the same value as; undefined below members and items. */
  readonly definition: string | undefined;
  /** Members that another part of the same composition hides. */
  readonly hide: ReadonlySet<string>;
  /** It is a part, however deep, of a branch of `not`, `oneOf` or `if`: these would refuse other values if less was asked for in it. */
  readonly isExact: boolean;
  /** Places of referred schemas that are being taken out in the place of a reference. */
  readonly inlined: ReadonlySet<string>;
}

const OUTSIDE: Place = { definition: undefined, hide: new Set(), isExact: false, inlined: new Set() };
const OUTSIDE_EXACT: Place = { ...OUTSIDE, isExact: true };

export function createSchemaExtractor(
  document: JsonObject,
  direction: Direction,
  list: ProblemList,
  equal: EqualValues,
): SchemaExtractor {
  const { apart } = list;
  const names = new Map<string, string>();
  /** Of definitions in which nothing is left out, where there are others of the same schemas. */
  const exactNames = new Map<string, string>();
  const taken = new Set<string>();
  const definitions = new Map<string, unknown>();
  const wrong = new Map<string, readonly DocumentProblem[]>();
  /** Definitions that hold for the same value, by name. */
  const sameValue = new Map<string, Set<string>>();
  const hidden = createHiddenMembers(document, direction);
  const pending: (Target & { readonly name: string; readonly isExact: boolean })[] = [];
  let differs: boolean | undefined;
  let unchecked: string[] = [];
  let inlinedCount = 0;
  let found = 0;
  let hasHeaders = false;
  const done = new Map<string, Map<object, unknown>>();

  function report(pointer: string, message: string): void {
    found++;
    list.report(pointer, message);
  }

  function attempt<T>(work: () => T, otherwise: T): T {
    return list.attempt(() => {
      try {
        return work();
      } catch (cause) {
        found++;
        throw cause;
      }
    }, otherwise);
  }

  function once<T>(name: string, about: object, work: () => T): T {
    const known = done.get(name) ?? new Map<object, unknown>();
    done.set(name, known);
    if (known.has(about)) return known.get(about) as T;
    const before = found;
    const result = work();
    if (found === before) known.set(about, result);
    return result;
  }

  function extractAt(schema: unknown, pointer: string, place: Place): JsonSchema | boolean {
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) {
      report(pointer, "a schema is an object or a boolean");
      return true;
    }
    const own = hidden.names(schema, pointer);
    const hide = place.hide.size === 0 ? own : new Set([...place.hide, ...own]);
    const members = Object.entries(schema).flatMap(([keyword, value]) => {
      const isExact = place.isExact || (direction === "request" && isBranch(keyword, schema));
      return extractKeyword(keyword, value, pointer, { ...place, hide, isExact });
    });
    const whole = admittingNull(schema, withoutHidden(withoutChoice(schema, composed(members)), hide));
    if (direction === "response") return equal.one(describing(whole));
    return equal.one(place.isExact ? whole : possible(whole));
  }

  function extractKeyword(keyword: string, value: unknown, pointer: string, place: Place): [string, unknown][] {
    const here = below(pointer, keyword);
    if (keyword === "$ref" && typeof value === "string") return attempt(() => [reference(value, pointer, place)], []);
    // Keys without value and, from some languages, empty lists for empty maps: as if they were not there.
    if (isSchemaKeyword(keyword) && (value === null || (SUBSCHEMA_MAP.has(keyword) && isEmptyList(value)))) return [];
    const inside = IN_PLACE.has(keyword) ? withHiding(keyword, place) : place.isExact ? OUTSIDE_EXACT : OUTSIDE;
    // JSON Schema before 2020-12 had lists of items there.
    if (keyword === "items" && Array.isArray(value)) return [["prefixItems", schemaList(value, here, inside)]];
    if (SUBSCHEMA.has(keyword)) return [[keyword, extractAt(value, here, inside)]];
    if (SUBSCHEMA_LIST.has(keyword)) return [[keyword, schemaList(value, here, inside)]];
    if (SUBSCHEMA_MAP.has(keyword)) return [[keyword, map(value, here, inside)]];
    if (keyword === "description") {
      return typeof value === "string" ? [[keyword, bounded(value, DESCRIPTION_LIMIT)]] : [];
    }
    if (keyword === "x-mcp-header") hasHeaders = true;
    return isValidDataKeyword(keyword, value) ? [[keyword, value]] : [];
  }

  function withHiding(keyword: string, place: Place): Place {
    return BRANCHES.has(keyword) ? { ...place, hide: OUTSIDE.hide } : place;
  }

  function schemaList(value: unknown, pointer: string, place: Place): unknown[] {
    if (!Array.isArray(value)) report(pointer, "must be an array of schemas");
    const schemas = Array.isArray(value) ? value : [];
    return schemas.map((schema, index) => extractAt(schema, below(pointer, String(index)), place));
  }

  function map(value: unknown, pointer: string, place: Place): JsonObject {
    const target = attempt(() => resolve(document, value, pointer), { value: {}, pointer });
    if (!isJsonObject(target.value)) report(target.pointer, "must be an object of schemas");
    const schemas = Object.entries(isJsonObject(target.value) ? target.value : {});
    return Object.fromEntries(
      schemas.map(([name, schema]) => [name, extractAt(schema, below(target.pointer, name), place)]),
    );
  }

  function reference(reference: string, pointer: string, place: Place): [string, unknown] {
    const target = follow(document, reference, pointer);
    const { definition, hide, inlined } = place;
    const canInline = hide.size > 0 && !inlined.has(target.pointer) && inlinedCount < MAX_INLINED;
    if (canInline && hidden.mentions(target.value, target.pointer, hide)) {
      inlinedCount++;
      const inside = { ...place, definition, hide, inlined: new Set([...inlined, target.pointer]) };
      return ["$ref", extractAt(target.value, target.pointer, inside)];
    }
    const name = define(target, pointer, place.isExact && canDiffer());
    if (definition !== undefined) sameValue.get(definition)?.add(name);
    return ["$ref", `#/$defs/${name}`];
  }

  /** Whether there is a schema of which something is left out: else one definition does wherever it is referred to. */
  function canDiffer(): boolean {
    differs ??= someObject(document, (object) => possible(object) !== object);
    return differs;
  }

  function define(target: Target, pointer: string, isExact: boolean): string {
    const known = isExact ? exactNames : names;
    const same = known.get(target.pointer);
    if (same !== undefined) return same;
    if (referenceOf(target.value) !== undefined) resolve(document, target.value, pointer);
    const name = freeName(lastName(document, target.pointer), taken);
    taken.add(name);
    known.set(target.pointer, name);
    sameValue.set(name, new Set());
    unchecked.push(name);
    pending.push({ name, isExact, ...target });
    return name;
  }

  function extract(schema: unknown, pointer: string): JsonSchema | boolean {
    inlinedCount = 0;
    const work = () => extractAt(schema, pointer, OUTSIDE);
    // Of a parameter or an answer that hundreds of operations refer to.
    const result = isJsonObject(schema) ? once("schema", schema, work) : work();
    // One after the other: in a large document each leads to the next hundreds of times, which would take too much stack.
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const end = apart();
      inlinedCount = 0;
      const place = { ...OUTSIDE, definition: next.name, isExact: next.isExact };
      definitions.set(next.name, extractAt(next.value, next.pointer, place));
      const found = end();
      if (found.length > 0) wrong.set(next.name, found);
    }
    return result;
  }

  function problemsOf(schema: unknown): readonly DocumentProblem[] {
    for (const name of endlessNames(unchecked, sameValue)) {
      const pointer = [...names, ...exactNames].find(([, known]) => known === name)?.[0] ?? "";
      wrong.set(name, [...(wrong.get(name) ?? []), { pointer, message: "the schema is part of itself without end" }]);
    }
    unchecked = [];
    if (wrong.size === 0) return [];
    return [...namesReachable(schema, (name) => definitions.get(name))].flatMap((name) => wrong.get(name) ?? []);
  }

  function definitionsOf(schemas: readonly unknown[]): DefinedSchemas {
    const names = namesReachable(schemas, (name) => definitions.get(name));
    return new Map([...names].map((name) => [name, definitions.get(name)]));
  }

  /** Looks no farther than it has to: thousands of operations may lead to the same thousands of definitions. */
  function isLongerThan(limit: number, schema: unknown): boolean {
    const whole = equal.one(schema);
    let length = equal.lengthOf(whole);
    if (length > limit) return true;
    namesReachable(whole, (name) => {
      if (length > limit || !definitions.has(name)) return undefined;
      length += equal.lengthOf(definitions.get(name));
      return definitions.get(name);
    });
    return length > limit;
  }

  return { extract, definitionsOf, isLongerThan, problemsOf, once, namesHeaders: () => hasHeaders };
}

const BRANCHES = new Set(["not", "oneOf", "if"]);

/** Whether the keyword may refuse what it accepted if less was asked for in it; a choice (`withoutChoice`) does not. */
function isBranch(keyword: string, schema: JsonObject): boolean {
  return BRANCHES.has(keyword) && (keyword !== "oneOf" || !isChoice(schema));
}

function someObject(document: JsonObject, is: (object: JsonObject) => boolean): boolean {
  const open: object[] = [document];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isJsonObject(next) && is(next)) return true;
    for (const value of Object.values(next)) if (typeof value === "object" && value !== null) open.push(value);
  }
  return false;
}

/** Members of one schema; what stands in the place of a reference joins its `allOf`. */
function composed(members: readonly [string, unknown][]): JsonObject {
  const { $ref, ...rest } = Object.fromEntries(members) as JsonObject;
  if ($ref === undefined) return rest;
  if (typeof $ref === "string") return { $ref, ...rest };
  return { ...rest, allOf: [$ref, ...(Array.isArray(rest.allOf) ? rest.allOf : [])] };
}

function withoutHidden(schema: JsonObject, hide: ReadonlySet<string>): JsonSchema {
  if (hide.size === 0) return schema;
  const { properties, required, ...rest } = schema;
  const asked = Array.isArray(required) ? required.filter((name) => !hide.has(name)) : [];
  const kept = isJsonObject(properties) ? Object.entries(properties).filter(([name]) => !hide.has(name)) : [];
  return {
    ...rest,
    ...(properties !== undefined && { properties: Object.fromEntries(kept) }),
    ...(asked.length > 0 && { required: asked }),
  };
}

function isSchemaKeyword(keyword: string): boolean {
  return SUBSCHEMA.has(keyword) || SUBSCHEMA_LIST.has(keyword) || SUBSCHEMA_MAP.has(keyword);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted.replaceAll(/[^A-Za-z0-9_.-]+/g, "_") || "schema";
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}_${n}`;
  return name;
}

/**
 * Which of the names lead back to themselves over others that hold for the same value (`allOf` of itself): no value could ever be
 * checked against such a schema.
 */
function endlessNames(
  names: readonly string[],
  sameValue: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return names.filter((name) => {
    const seen = new Set<string>();
    const open = [...(sameValue.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === name) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(sameValue.get(next) ?? []));
    }
    return false;
  });
}
