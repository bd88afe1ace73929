import { valueAt } from "../../../../lib/config/path.ts";
import { isJsonObject } from "../../../../lib/kernel/json.ts";
import { definitionName } from "../../../../lib/openapi/catalog-texts.ts";

/** What a tool's input schema says of one argument. */
export interface ArgumentDefinition {
  /** Undefined: nothing. */
  readonly schema: unknown;
  /** The `$defs` that it refers to. */
  readonly definitions: unknown;
  /** The schema takes no such key. */
  readonly isRefused: boolean;
  readonly known: readonly string[];
}

export function definitionOf(inputSchema: unknown, key: string): ArgumentDefinition {
  const properties = valueAt(inputSchema, ["properties"]);
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const isKnown = known.includes(key);
  return {
    schema: isKnown ? valueAt(properties, [key]) : undefined,
    definitions: valueAt(inputSchema, ["$defs"]),
    isRefused: !isKnown && valueAt(inputSchema, ["additionalProperties"]) === false,
    known,
  };
}

/** Schemas that are looked at for one argument: some lead back to where they began. */
const MOST = 200;

/** The JSON types that a schema takes, as far as it names them; empty: it names none, and any may do. */
export function typesOf(schema: unknown, definitions: unknown): ReadonlySet<string> {
  const types = new Set<string>();
  const parts = new Set([schema]);
  // What is added meanwhile is looked at too.
  for (const part of parts) {
    if (parts.size > MOST) break;
    for (const type of [valueAt(part, ["type"]) ?? []].flat()) types.add(String(type));
    for (const value of [valueAt(part, ["enum"]) ?? []].flat()) types.add(typeOf(value));
    const constant = valueAt(part, ["const"]);
    if (constant !== undefined) types.add(typeOf(constant));
    const reference = definitionName(valueAt(part, ["$ref"]));
    if (reference !== undefined) parts.add(valueAt(definitions, [reference]));
    for (const keyword of ["oneOf", "anyOf", "allOf"])
      for (const inner of [valueAt(part, [keyword]) ?? []].flat()) parts.add(inner);
  }
  return types;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
