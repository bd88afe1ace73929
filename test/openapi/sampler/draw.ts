import fc, { type GeneratorValue } from "fast-check";
import { listOf, merge, type Schema, Unsatisfiable } from "./merge.ts";
import { drawNumber } from "./numbers.ts";
import type { SchemaSet } from "./schema-set.ts";
import { drawString, type Place } from "./strings.ts";

export interface Drawing {
  readonly g: GeneratorValue;
  readonly schemas: SchemaSet;
  /** How many of the optional members are drawn, 0 to 1. */
  readonly fullness: number;
  /** Where the value goes in the request: what can be written there. */
  readonly place: Place;
  readonly depth: number;
  /** Values that may still be drawn, shared by all levels: beyond it only what is required. */
  readonly budget: { left: number };
}

const DEPTH = 5;
const DEPTH_LIMIT = 40;
const TRIES = 25;
/** Keywords that a value drawn from one branch may break. */
const CHECKED = ["oneOf", "not", "if", "contains", "propertyNames", "dependentRequired", "dependentSchemas", "pattern"];

/** A value of the schema; throws `Unsatisfiable` when none is found. */
export function draw(drawing: Drawing, schema: unknown): unknown {
  if (schema === false || drawing.depth > DEPTH_LIMIT) throw new Unsatisfiable("nothing is accepted, or no end");
  const node = (typeof schema === "object" && schema !== null ? schema : {}) as Schema;
  drawing.budget.left--;
  const isChecked = needsCheck(drawing, node, 0);
  for (let n = 0; n < TRIES; n++) {
    // What is optional may be what a branch refuses.
    const fullness = n < TRIES / 3 ? drawing.fullness : Math.min(drawing.fullness, n < (2 * TRIES) / 3 ? 0.5 : 0);
    const drawn = drawShape({ ...drawing, fullness }, chosen(drawing, node, 0));
    const value = n < TRIES / 2 ? drawn : unlikeOthers(drawing, node, drawn);
    if (!isChecked || drawing.schemas.validator(node)(value)) return value;
  }
  throw new Unsatisfiable("no value was found");
}

function needsCheck(drawing: Drawing, schema: unknown, hops: number): boolean {
  if (typeof schema !== "object" || schema === null || hops > 5) return false;
  const node = schema as Schema;
  const parts = [node.allOf, node.anyOf].filter(Array.isArray).flat();
  const target = typeof node.$ref === "string" ? [drawing.schemas.target(node.$ref)] : [];
  const isChecked = CHECKED.some((keyword) => node[keyword] !== undefined);
  return isChecked || [...parts, ...target].some((part) => needsCheck(drawing, part, hops + 1));
}

/**
 * Where the branches of `oneOf` are open objects, a value of one fits others, too: a member that another one has a schema
 * for, and that does not fit it, makes the difference.
 */
function unlikeOthers(drawing: Drawing, { oneOf }: Schema, drawn: unknown): unknown {
  if (!Array.isArray(oneOf) || typeof drawn !== "object" || drawn === null || Array.isArray(drawn)) return drawn;
  const branches = oneOf.map((branch) => (chosen(drawing, branch, 0).properties ?? {}) as Schema);
  const others = branches.flatMap((properties) => Object.entries(properties).filter(([name]) => !(name in drawn)));
  const members = others.map(([name, schema]) => [name, chosen(drawing, schema, 0).type === "string" ? 0 : "x"]);
  return { ...drawn, ...Object.fromEntries(drawing.g(() => fc.subarray(members))) };
}

/** The schema with one branch of each choice, and references and `allOf` merged into it. */
function chosen(drawing: Drawing, schema: unknown, hops: number): Schema {
  if (schema === false || hops > DEPTH_LIMIT) throw new Unsatisfiable("nothing is accepted, or no end");
  if (typeof schema !== "object" || schema === null) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema as Schema;
  const parts = [
    ...(typeof $ref === "string" ? [drawing.schemas.target($ref)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ];
  const whole = parts.reduce<Schema>((result, part) => merge(result, chosen(drawing, part, hops + 1)), own);
  return [anyOf, oneOf].reduce<Schema>((result, branches) => withBranch(drawing, result, branches, hops), whole);
}

function withBranch(drawing: Drawing, schema: Schema, branches: unknown, hops: number): Schema {
  if (!Array.isArray(branches)) return schema;
  for (const branch of ordered(drawing, branches)) {
    try {
      return merge(schema, chosen(drawing, branch, hops + 1));
    } catch (cause) {
      if (!(cause instanceof Unsatisfiable)) throw cause;
    }
  }
  throw new Unsatisfiable("no branch fits");
}

/** In a random order; deep down those first that end soonest. A parameter is not null: null cannot be told from "". */
function ordered(drawing: Drawing, branches: readonly unknown[]): readonly unknown[] {
  const shuffled = drawing.g(fc.shuffledSubarray<unknown>, [...branches], {
    minLength: branches.length,
    maxLength: branches.length,
  });
  const rank = (branch: unknown) => {
    const { type } = (branch ?? {}) as Schema;
    if (type === "null" && drawing.place.in !== "body") return 10;
    return isDeep(drawing) ? size(drawing, branch, 0) : 0;
  };
  return shuffled.toSorted((a, b) => rank(a) - rank(b));
}

function isDeep({ depth, budget }: Drawing): boolean {
  return depth >= DEPTH || budget.left <= 0;
}

/** How many levels a value needs at the least, up to a few. */
function size(drawing: Drawing, schema: unknown, level: number): number {
  if (level > 5 || typeof schema !== "object" || schema === null) return level;
  const { $ref, allOf, anyOf, oneOf, properties, required, items, minItems } = schema as Schema;
  const below = (schemas: unknown) =>
    Array.isArray(schemas) ? schemas.map((one) => size(drawing, one, level + 1)) : [];
  const must = (Array.isArray(required) ? required : []).map((name) =>
    size(drawing, (properties as Schema | undefined)?.[name], level + 1),
  );
  const choice = [anyOf, oneOf].flatMap((branches) => (Array.isArray(branches) ? [Math.min(...below(branches))] : []));
  const target = typeof $ref === "string" ? [size(drawing, drawing.schemas.target($ref), level + 1)] : [];
  const entries = Number(minItems ?? 0) > 0 ? [size(drawing, items, level + 1)] : [];
  return Math.max(level, ...must, ...choice, ...target, ...entries, ...below(allOf));
}

function drawShape(drawing: Drawing, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) {
    const { enum: values, ...rest } = schema;
    const ofType = values.filter((value) => fitsType(value, rest.type));
    const sent = drawing.place.in === "body" ? ofType : ofType.filter((value) => value !== null);
    return pick(drawing, sent.length > 0 ? sent : ofType);
  }
  switch (typeOf(drawing, schema)) {
    case "object":
      return drawObject(drawing, schema);
    case "array":
      return drawArray(drawing, schema);
    case "string":
      return drawString(drawing.g, schema, drawing.place);
    case "number":
      return drawNumber(drawing.g, schema, false);
    case "integer":
      return drawNumber(drawing.g, schema, true);
    case "boolean":
      return drawing.g(fc.boolean);
    default:
      return null;
  }
}

function fitsType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return listOf(type).some((one) => one === own || (one === "integer" && Number.isInteger(value)));
}

function typeOf(drawing: Drawing, schema: Schema): string {
  if (schema.type !== undefined) {
    const types = listOf(schema.type);
    const sent = drawing.place.in === "body" ? types : types.filter((type) => type !== "null");
    const flat = isDeep(drawing) ? sent.filter((type) => type !== "object" && type !== "array") : sent;
    return pick(drawing, flat.length > 0 ? flat : sent.length > 0 ? sent : types);
  }
  if (schema.properties !== undefined || schema.required !== undefined) return "object";
  if (schema.additionalProperties !== undefined || schema.minProperties !== undefined) return "object";
  if (schema.items !== undefined || schema.minItems !== undefined) return "array";
  if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined) return "number";
  return "string";
}

function drawObject(drawing: Drawing, schema: Schema): unknown {
  const properties = (schema.properties ?? {}) as Schema;
  const required = new Set((schema.required ?? []) as string[]);
  const least = Math.max(Number(schema.minProperties ?? 0), drawing.place.in === "body" ? 0 : 1);
  const most = Number(schema.maxProperties ?? Number.POSITIVE_INFINITY);
  const entries = new Map<string, unknown>();
  const names = [...new Set([...required, ...Object.keys(properties)])];
  for (const name of names) {
    const mayLack = !required.has(name);
    const isLacking = entries.size < least && drawing.depth > 0;
    if (mayLack && (entries.size >= most || (!isLacking && !isDrawn(drawing)))) continue;
    const member = properties[name] ?? schema.additionalProperties;
    try {
      entries.set(name, draw(memberOf(drawing), member));
    } catch (cause) {
      if (!mayLack || !(cause instanceof Unsatisfiable)) throw cause;
    }
  }
  drawMore(drawing, schema, entries, { least, most });
  return Object.fromEntries(entries);
}

function memberOf(drawing: Drawing): Drawing {
  return { ...drawing, place: { ...drawing.place, isMember: true }, depth: drawing.depth + 1 };
}

/** Members without a name of their own: where the schema says what they are like, or asks for more than it names. */
function drawMore(
  drawing: Drawing,
  { additionalProperties, patternProperties, propertyNames, properties }: Schema,
  entries: Map<string, unknown>,
  { least, most }: { readonly least: number; readonly most: number },
): void {
  if (additionalProperties === false && patternProperties === undefined) return;
  const isOpen = additionalProperties !== undefined || properties === undefined;
  const wanted = isOpen && !isDeep(drawing) && isDrawn(drawing) ? drawing.g(fc.integer, { min: 1, max: 2 }) : 0;
  const [[pattern, ofPattern] = []] = Object.entries((patternProperties ?? {}) as Schema);
  for (
    let n = 0;
    n < TRIES && entries.size < Math.min(most, Math.max(least, entries.size + (n < wanted ? 1 : 0)));
    n++
  ) {
    const name = nameOf(drawing, pattern, propertyNames);
    entries.set(name, draw(memberOf(drawing), ofPattern ?? additionalProperties ?? {}));
  }
}

function nameOf(drawing: Drawing, pattern: string | undefined, propertyNames: unknown): string {
  if (pattern !== undefined) return drawString(drawing.g, { pattern, minLength: 1 }, { in: "body" });
  if (propertyNames !== undefined)
    return String(draw({ ...drawing, place: { in: "body" } }, { type: "string", allOf: [propertyNames] }));
  return `x${drawing.g(fc.integer, { min: 0, max: 99 })}`;
}

function drawArray(drawing: Drawing, schema: Schema): unknown {
  const least = Math.max(Number(schema.minItems ?? 0), drawing.place.in === "body" ? 0 : 1);
  const most = Math.min(Number(schema.maxItems ?? least + 3), Math.max(least, isDeep(drawing) ? 0 : least + 3));
  if (least > most) throw new Unsatisfiable("no array has so few items");
  // One item is written alike in most styles.
  const full = drawing.fullness === 1 ? 2 : 1;
  const min = isDrawn(drawing) ? Math.min(most, Math.max(least, full)) : least;
  const length = drawing.g(fc.integer, { min, max: most });
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const entries: unknown[] = [];
  for (let n = 0; n < length + TRIES && entries.length < length; n++) {
    const item = prefix[entries.length] ?? schema.items;
    const entry = draw({ ...drawing, depth: drawing.depth + 1 }, item);
    if (schema.uniqueItems !== true || !entries.some((other) => JSON.stringify(other) === JSON.stringify(entry)))
      entries.push(entry);
  }
  return entries;
}

function isDrawn(drawing: Drawing): boolean {
  if (isDeep(drawing) || drawing.fullness === 0) return false;
  return drawing.fullness === 1 || drawing.g(fc.integer, { min: 0, max: 99 }) < drawing.fullness * 100;
}

function pick<T>({ g }: Drawing, values: readonly T[]): T {
  if (values.length === 0) throw new Unsatisfiable("no value is accepted");
  return g(() => fc.constantFrom(...values));
}
