import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import {
  isValidDataKeyword,
  isWrongDataKeyword,
  SUBSCHEMA,
  SUBSCHEMA_LIST,
  SUBSCHEMA_MAP,
} from "../../openapi/documents/keywords.ts";
import type { Generation } from "../generations.ts";

/**
 * An output schema as clients are shown it; undefined where they could not read it. In the session generation its root is that
 * of an object (MCP 2025-11-25, Tools, Data Types), in the stateless one it may be any schema. Its `$id` is left away:
 * validators keep schemas by it, and would take one server's for another's.
 */
export function readableOutputSchema(schema: unknown, agent: Generation): JsonObject | undefined {
  if (!isJsonObject(schema) || !isCompilable(schema)) return undefined;
  if (agent === "session" && schema.type !== "object") return undefined;
  if (schema.$id === undefined) return withPropertyObjects(schema);
  const { $id, ...rest } = schema;
  return withPropertyObjects(rest);
}

const DIALECT = /^https?:\/\/json-schema\.org\/draft(-0[67]|\/2019-09|\/2020-12)\/schema#?$/;
/** Those in which `items` may be a list. */
const WITH_LISTS_OF_ITEMS = /\/draft(-0[67]|\/2019-09)\//;
/** Names that validators keep for all schemas together, and references by them. */
const IDENTIFIERS = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"];
/** Keywords whose schemas are for the same value as the schema that they are in. */
const IN_PLACE = new Set("$ref allOf anyOf oneOf not if then else dependentSchemas dependencies".split(" "));

/**
 * Whether validators make sense of a schema: keywords have values that they take, references lead to schemas within, and
 * none leads back to where it is without a step into the value, which would never end (JSON Schema 2020-12, Core §9.4.1).
 * Looks at what they compile, and not at definitions that nothing refers to. An `$id` of the whole is no matter here.
 */
function isCompilable(root: JsonObject): boolean {
  const { $id, $schema, ...rest } = root;
  if ($schema !== undefined && !(typeof $schema === "string" && DIALECT.test($schema))) return false;
  if (hasIdentifiers(rest)) return false;
  const sameValue = new Map<unknown, readonly unknown[]>();
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const schema = pending.pop();
    if (typeof schema === "boolean" || sameValue.has(schema)) continue;
    if (!isJsonObject(schema) || !isNullableAsTyped(schema)) return false;
    const inPlace: unknown[] = [];
    sameValue.set(schema, inPlace);
    for (const [keyword, value] of Object.entries(schema === root ? rest : schema)) {
      const parts = partsOf(keyword, value, root);
      if (parts === undefined) return false;
      for (const part of parts) {
        pending.push(part);
        if (IN_PLACE.has(keyword)) inPlace.push(part);
      }
    }
  }
  return !hasLoop(sameValue);
}

/** Whether one leads back to itself. What leads nowhere, or only to such, is taken away until nothing is left but loops. */
function hasLoop(leads: ReadonlyMap<unknown, readonly unknown[]>): boolean {
  const open = new Map<unknown, number>();
  const comesFrom = new Map<unknown, unknown[]>();
  for (const [from, targets] of leads) {
    const schemas = targets.filter((target) => leads.has(target));
    open.set(from, schemas.length);
    for (const target of schemas) {
      const sources = comesFrom.get(target) ?? [];
      sources.push(from);
      comesFrom.set(target, sources);
    }
  }
  const ended = [...open].filter(([, count]) => count === 0).map(([schema]) => schema);
  for (const schema of ended) {
    for (const from of comesFrom.get(schema) ?? []) {
      const left = (open.get(from) ?? 0) - 1;
      open.set(from, left);
      if (left === 0) ended.push(from);
    }
  }
  return ended.length < leads.size;
}

/** The schemas in the value of a keyword; undefined: the keyword does not take it. */
function partsOf(keyword: string, value: unknown, root: JsonObject): readonly unknown[] | undefined {
  if (IDENTIFIERS.includes(keyword)) return undefined;
  if (keyword === "$ref") return targetOf(value, root);
  if (keyword === "items" && Array.isArray(value))
    return WITH_LISTS_OF_ITEMS.test(String(root.$schema)) ? value : undefined;
  if (keyword === "dependencies") return dependencies(value);
  if (SUBSCHEMA.has(keyword) || keyword === "additionalItems") return [value];
  if (SUBSCHEMA_LIST.has(keyword)) return Array.isArray(value) ? value : undefined;
  if (SUBSCHEMA_MAP.has(keyword)) return isMap(keyword, value) ? Object.values(value) : undefined;
  return isWrongDataKeyword(keyword, value) ? undefined : [];
}

function isMap(keyword: string, value: unknown): value is JsonObject {
  return (
    isJsonObject(value) &&
    (keyword !== "patternProperties" || Object.keys(value).every((name) => isValidDataKeyword("pattern", name)))
  );
}

/** Drafts before 2019-09: names of members, or a schema. */
function dependencies(value: unknown): readonly unknown[] | undefined {
  if (!isJsonObject(value)) return undefined;
  const [lists, schemas] = [Object.values(value).filter(Array.isArray), Object.values(value).filter(isNoList)];
  return lists.every((names) => isValidDataKeyword("required", names)) ? schemas : undefined;
}

function isNoList(value: unknown): boolean {
  return !Array.isArray(value);
}

/** What a JSON Pointer of a fragment leads to (RFC 6901 §6), where that is a schema. */
function targetOf(reference: unknown, root: JsonObject): readonly unknown[] | undefined {
  if (reference === "#") return [root];
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const token of reference.slice(2).split("/")) {
    const name = unescaped(token);
    if (typeof value !== "object" || value === null || name === undefined || !Object.hasOwn(value, name))
      return undefined;
    value = (value as JsonObject)[name];
  }
  return isJsonObject(value) || typeof value === "boolean" ? [value] : undefined;
}

function unescaped(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

/** Also where nothing refers to: validators look for names everywhere. */
function hasIdentifiers(value: unknown): boolean {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one !== "object" || one === null) continue;
    if (IDENTIFIERS.some((name) => Object.hasOwn(one, name) && typeof (one as JsonObject)[name] === "string"))
      return true;
    for (const part of Object.values(one)) pending.push(part);
  }
  return false;
}

/** OpenAPI 3.0 has `nullable` beside a type, and validators throw for any other. */
function isNullableAsTyped({ type, nullable }: JsonObject): boolean {
  if (nullable === undefined) return true;
  return type !== undefined && (nullable === true || (nullable === false && ![type].flat().includes("null")));
}

/**
 * A schema whose properties are objects, as MCP's schema has them, and clients refuse a list for any other. JSON Schema also
 * has `true` and `false`, which have objects that mean the same.
 */
export function withPropertyObjects(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || !Object.values(properties).some(isBoolean)) return schema;
  const objects = Object.entries(properties).map(([name, property]) => [
    name,
    isBoolean(property) ? objectOf(property) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(objects) };
}

function objectOf(schema: boolean): JsonObject {
  return schema ? {} : { not: {} };
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}
