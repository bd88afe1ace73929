import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { below } from "./document-error.ts";
import { referenceOf, resolve, type Target } from "./reference.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** The properties of an object that they describe completely. */
export interface FlatObject {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Keywords of an object schema that a list of arguments still expresses. */
const FLAT_KEYWORDS = new Set(["type", "properties", "required", "title", "description", "additionalProperties"]);
/** Keywords beside a `$ref` that say nothing about the value. */
const NOTES = new Set(["$ref", "title", "summary", "description", "deprecated", "default", "example", "examples"]);
/** Objects that one may be put together of. */
const MAX_OBJECTS = 500;

/**
 * Takes an object schema apart, so that its properties can be arguments. `allOf` of plain objects is one object with the
 * properties of all; one that several describe has to be what each of them says. Undefined where something would be lost. To
 * send no body says the same as null where it may be left out.
 */
export function flatObject(
  document: JsonObject,
  schema: unknown,
  pointer: string,
  context: { readonly schemas: SchemaExtractor; readonly isOptional: boolean },
): FlatObject | undefined {
  if (!refersAlone(schema)) return undefined;
  const { value, pointer: at } = resolve(document, schema, pointer);
  if (!isJsonObject(value)) return undefined;
  const name = context.isOptional ? "optional object" : "object";
  return context.schemas.once(name, value, () => newFlatObject(document, value, at, context));
}

function newFlatObject(
  document: JsonObject,
  schema: JsonObject,
  pointer: string,
  { schemas, isOptional }: { readonly schemas: SchemaExtractor; readonly isOptional: boolean },
): FlatObject | undefined {
  const objects = objectsIn(document, schema, pointer, new Set());
  const parts = objects?.map(({ value, pointer }) => schemas.extract(value, pointer));
  if (objects === undefined || !parts?.every((part) => isPlain(part, isOptional))) return undefined;
  const isClosed = parts.some((part) => part.additionalProperties !== undefined);
  if (parts.length > 1 && isClosed) return undefined;
  if (!parts.some((part) => isJsonObject(part.properties))) return undefined;
  const hidden = new Set(parts.flatMap((part, index) => hiddenNames(objects[index]?.value, part)));
  const properties = merged(parts.map(propertiesOf), hidden);
  const required = new Set(parts.flatMap((part) => (Array.isArray(part.required) ? part.required : [])));
  const wanted = [...required].filter((name) => typeof name === "string" && !hidden.has(name));
  // What a document asks for and describes nowhere may be anything; a closed object cannot have it.
  const undescribed = isClosed
    ? []
    : wanted.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, {}]);
  const all = { ...properties, ...Object.fromEntries(undescribed) };
  return { properties: all, required: wanted.filter((name) => Object.hasOwn(all, name)) };
}

/**
 * Whether an object has to have itself in itself, through what it requires: then there is no such value, and the only request
 * that can be made is one without it.
 */
export function requiresItself(document: JsonObject, schema: unknown, pointer: string): boolean {
  return isEndless(document, schema, pointer, new Set(), new Set());
}

/** @param ended pointers of those that are known to have an end */
function isEndless(
  document: JsonObject,
  schema: unknown,
  pointer: string,
  around: ReadonlySet<string>,
  ended: Set<string>,
): boolean {
  if (around.size > MAX_DEPTH) return false;
  const objects = objectsIn(document, schema, pointer, new Set()) ?? [];
  return objects.some(({ value, pointer: at }) => {
    if (around.has(at)) return true;
    if (ended.has(at)) return false;
    ended.add(at);
    if (!isJsonObject(value) || !Array.isArray(value.required) || !isJsonObject(value.properties)) return false;
    const { properties } = value;
    const inner = new Set([...around, at]);
    return value.required.some(
      (name) =>
        typeof name === "string" &&
        Object.hasOwn(properties, name) &&
        isEndless(document, properties[name], below(at, "properties", name), inner, ended),
    );
  });
}

/** Objects inside of one another that are followed. */
const MAX_DEPTH = 20;

/** The schemas that hold together for the value, `allOf` and references followed; what holds twice is there once. */
function objectsIn(
  document: JsonObject,
  schema: unknown,
  pointer: string,
  seen: Set<string>,
): readonly Target[] | undefined {
  if (seen.size > MAX_OBJECTS) return undefined;
  if (!refersAlone(schema)) return undefined;
  const { value, pointer: at } = resolve(document, schema, pointer);
  if (!isJsonObject(value)) return undefined;
  if (seen.has(at)) return [];
  seen.add(at);
  const { allOf, ...rest } = value;
  if (!Array.isArray(allOf)) return [{ value, pointer: at }];
  const inner = allOf.map((entry, index) => objectsIn(document, entry, below(at, "allOf", String(index)), seen));
  const known = inner.filter((objects) => objects !== undefined);
  return known.length < inner.length ? undefined : [{ value: rest, pointer: at }, ...known.flat()];
}

/** What stands beside a reference says nothing about the value. */
function refersAlone(schema: unknown): boolean {
  if (referenceOf(schema) === undefined || !isJsonObject(schema)) return true;
  return Object.keys(schema).every((keyword) => NOTES.has(keyword) || keyword.startsWith("x-"));
}

function isPlain(schema: unknown, isOptional: boolean): schema is JsonObject {
  return (
    isJsonObject(schema) &&
    ["object", ...(isOptional ? ["object,null", "null,object"] : [])].includes(String(schema.type ?? "object")) &&
    (schema.properties === undefined || isJsonObject(schema.properties)) &&
    Object.keys(schema).every((keyword) => FLAT_KEYWORDS.has(keyword)) &&
    (schema.additionalProperties === undefined || schema.additionalProperties === false)
  );
}

/** Properties that are no part of a request (`readOnly`), whatever the other objects say of them. */
function hiddenNames(object: unknown, extracted: JsonObject): readonly string[] {
  const kept = propertiesOf(extracted);
  return Object.keys(propertiesOf(object)).filter((name) => !Object.hasOwn(kept, name));
}

function propertiesOf(object: unknown): JsonObject {
  return isJsonObject(object) && isJsonObject(object.properties) ? object.properties : {};
}

function merged(objects: readonly JsonObject[], hidden: ReadonlySet<string>): JsonObject {
  const schemas = new Map<string, unknown[]>();
  for (const [name, schema] of objects.flatMap((object) => Object.entries(object))) {
    if (hidden.has(name)) continue;
    const known = schemas.get(name);
    if (known === undefined) schemas.set(name, [schema]);
    else known.push(schema);
  }
  return Object.fromEntries([...schemas].map(([name, all]) => [name, all.length === 1 ? all[0] : conjunction(all)]));
}

/** What of a schema people read, and values are not checked against. */
const TEXTS = new Set(["title", "description"]);

/** Schemas of which each is compared with each. */
const MAX_COMPARED = 20;

/** A schema for what meets all of these, with the last word on what it means. What another one says already is left out. */
function conjunction(schemas: readonly unknown[]): unknown {
  const checked = schemas.map(withoutTexts);
  const needed = checked.length > MAX_COMPARED ? checked : withoutImplied(checked);
  const texts = Object.fromEntries(schemas.flatMap(textsOf));
  const [only] = needed;
  if (needed.length > 1) return { ...texts, allOf: needed };
  if (isJsonObject(only)) return { ...texts, ...only };
  return only === true ? texts : only;
}

function withoutImplied(schemas: readonly unknown[]): readonly unknown[] {
  return schemas.filter((schema, index) => {
    // Of those that say the same the first stays.
    return !schemas.some((other, at) => {
      return at !== index && implies(other, schema) && (at < index || !implies(schema, other));
    });
  });
}

/** Whether whatever meets the first schema is known to meet the second. */
function implies(one: unknown, other: unknown): boolean {
  if (other === true || isSame(one, other)) return true;
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const { anyOf, ...rest } = other;
  if (Array.isArray(anyOf) && Object.keys(rest).length === 0) {
    return anyOf.some((branch) => isSame(one, withoutTexts(branch)));
  }
  const types = typesOf(other);
  return isSame({ ...one, type: 0 }, { ...other, type: 0 }) && typesOf(one).every((type) => types.includes(type));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(schema: unknown): unknown {
  return isJsonObject(schema) ? Object.entries(schema).sort(([one], [other]) => (one < other ? -1 : 1)) : schema;
}

const ALL_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

function typesOf({ type }: JsonObject): readonly unknown[] {
  if (type === undefined) return ALL_TYPES;
  return Array.isArray(type) ? type : [type];
}

function textsOf(schema: unknown): readonly [string, unknown][] {
  return isJsonObject(schema) ? Object.entries(schema).filter(([keyword]) => TEXTS.has(keyword)) : [];
}

function withoutTexts(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !TEXTS.has(keyword)));
}
