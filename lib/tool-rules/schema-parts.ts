import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { SUBSCHEMA, SUBSCHEMA_LIST, SUBSCHEMA_MAP } from "../openapi/documents/keywords.ts";

/** Where definitions are kept. */
const DEFINITIONS = ["$defs", "definitions"];

/** The definition that a reference names: keyword and name; undefined for any other reference. */
export function definitionOf(reference: unknown): readonly [string, string] | undefined {
  const [, keyword, token] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
  if (keyword === undefined || token === undefined) return undefined;
  return [keyword, unescaped(token)];
}

export function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token;
  }
}

/** What a reference leads to within a schema; undefined: nothing. */
export function targetIn(root: JsonObject, reference: unknown): unknown {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const token of reference.slice(2).split("/")) {
    const name = unescaped(token);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** A schema with its own schemas exchanged, definitions among them; data stays. */
export function mapParts(schema: JsonObject, change: (part: unknown) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapPart(keyword, value, change)]),
  );
}

function mapPart(keyword: string, value: unknown, change: (part: unknown) => unknown): unknown {
  const isSchema = (one: unknown) => isJsonObject(one) || typeof one === "boolean";
  const changed = (one: unknown) => (isSchema(one) ? change(one) : one);
  if (SUBSCHEMA.has(keyword) || SUBSCHEMA_LIST.has(keyword) || keyword === "additionalItems")
    return Array.isArray(value) ? value.map(changed) : changed(value);
  if (SUBSCHEMA_MAP.has(keyword) || DEFINITIONS.includes(keyword) || keyword === "dependencies")
    return isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, changed(part)]))
      : value;
  return value;
}

/** All schemas of a schema: itself first. */
export function partsIn(root: unknown): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const schema = pending.pop();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    mapParts(schema, (part) => pending.push(part));
  }
  return [...found];
}

/** References that lead nowhere. */
export function brokenReference(root: JsonObject): string | undefined {
  const references = partsIn(root).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
  return references.find((reference) => targetIn(root, reference) === undefined);
}

/** Without definitions that nothing refers to any more: they may tell of what is taken away. */
export function withoutUnused(root: JsonObject): JsonObject {
  const kept = new Set<string>();
  const { $defs: _, definitions: __, ...own } = root;
  const pending: unknown[] = [own];
  while (pending.length > 0) {
    for (const { $ref } of partsIn(pending.pop())) {
      const named = definitionOf($ref) ?? firstNamed($ref);
      if (named === undefined || kept.has(JSON.stringify(named))) continue;
      kept.add(JSON.stringify(named));
      const definitions = root[named[0]];
      if (isJsonObject(definitions)) pending.push(definitions[named[1]]);
    }
  }
  return Object.fromEntries(
    Object.entries(root).flatMap(([keyword, value]) => {
      if (!DEFINITIONS.includes(keyword) || !isJsonObject(value)) return [[keyword, value]];
      const used = Object.entries(value).filter(([name]) => kept.has(JSON.stringify([keyword, name])));
      return used.length === 0 ? [] : [[keyword, Object.fromEntries(used)]];
    }),
  );
}

/** The definition that a reference goes into. */
function firstNamed(reference: unknown): readonly [string, string] | undefined {
  const [, keyword, token] = /^#\/(\$defs|definitions)\/([^/]+)\//.exec(String(reference)) ?? [];
  return keyword === undefined || token === undefined ? undefined : [keyword, unescaped(token)];
}

/** `if` may come out otherwise for what is shown: either way is one. */
export function eitherWay(schema: JsonObject): JsonObject {
  const { if: condition, then: yes, else: no, ...rest } = schema;
  if (condition === undefined) return rest;
  return withAll(rest, [{ anyOf: [{ allOf: [condition, ...(yes === undefined ? [] : [yes])] }, no ?? {}] }]);
}

/** What one alternative alone took may be taken by several. */
export function someOf(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema;
  if (!Array.isArray(oneOf)) return schema;
  return rest.anyOf === undefined ? { ...rest, anyOf: oneOf } : withAll(rest, [{ anyOf: oneOf }]);
}

function withAll(schema: JsonObject, more: readonly unknown[]): JsonObject {
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), ...more] };
}

export function omit(schema: JsonObject, keywords: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.has(keyword)));
}
