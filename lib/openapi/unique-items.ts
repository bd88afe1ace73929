import type { JsonSchema } from "./catalog.ts";

/**
 * Whether an array that must have unique items has equal ones; the path of the first such array, in names and indexes. Takes
 * time linear in the value. Looks where a schema applies whatever else holds: branches such as those of `anyOf` are
 * not followed, so that uniqueness that they ask for is left to the API.
 */
export function repeatedItems(schema: JsonSchema, value: unknown): readonly string[] | undefined {
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  const identity = identities();
  const seen = new WeakMap<object, Set<unknown>>();

  function find(schema: unknown, value: unknown, path: readonly string[]): readonly string[] | undefined {
    if (!isObject(schema) || typeof value !== "object" || value === null) return undefined;
    const schemas = seen.get(value) ?? new Set();
    if (schemas.has(schema)) return undefined;
    seen.set(value, schemas.add(schema));
    if (schema.uniqueItems === true && Array.isArray(value) && hasEqual(value.map(identity))) return path;
    return first(sameValue(schema, definitions), (same) => find(same, value, path)) ?? below(schema, value, path);
  }

  function below(schema: JsonSchema, value: object, path: readonly string[]): readonly string[] | undefined {
    if (!isObject(schema.properties) && !isObject(schema.additionalProperties) && !isList(schema)) return undefined;
    return first(Object.keys(value), (name) => {
      return find(memberSchema(schema, value, name), (value as JsonSchema)[name], [...path, name]);
    });
  }

  return find(schema, value, []);
}

function isList({ items, prefixItems }: JsonSchema): boolean {
  return isObject(items) || Array.isArray(prefixItems);
}

/** Schemas that hold for the same value. */
function sameValue({ $ref, allOf }: JsonSchema, definitions: JsonSchema): readonly unknown[] {
  const name = typeof $ref === "string" ? $ref.replace(/^#\/\$defs\//, "") : undefined;
  const target = name !== undefined && Object.hasOwn(definitions, name) ? [definitions[name]] : [];
  return Array.isArray(allOf) ? [...target, ...allOf] : target;
}

function memberSchema(schema: JsonSchema, value: object, name: string): unknown {
  if (Array.isArray(value)) {
    const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    return Number(name) < prefix.length ? prefix[Number(name)] : schema.items;
  }
  if (isObject(schema.properties) && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return schema.patternProperties === undefined ? schema.additionalProperties : undefined;
}

function hasEqual(items: readonly string[]): boolean {
  return new Set(items).size < items.length;
}

/** Gives equal JSON values equal names. The name of an object or array is short, so that names of outer ones stay short. */
function identities(): (value: unknown) => string {
  const known = new WeakMap<object, string>();
  const names = new Map<string, string>();
  return function identity(value: unknown): string {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const before = known.get(value);
    if (before !== undefined) return before;
    const text = Array.isArray(value) ? `[${value.map(identity)}]` : `{${members(value, identity)}}`;
    const name = names.get(text) ?? `#${names.size}`;
    names.set(text, name);
    known.set(value, name);
    return name;
  };
}

function members(value: object, identity: (value: unknown) => string): readonly string[] {
  const names = Object.keys(value).sort();
  return names.map((name) => `${JSON.stringify(name)}:${identity((value as JsonSchema)[name])}`);
}

function first<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
