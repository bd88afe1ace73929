import { definitionName } from "../../../../lib/bridge/definitions.ts";
import { valueAt } from "../../../../lib/config/path.ts";

/** Values of an `enum` that are still told one by one. */
const VALUES_TOLD = 6;
const DEEPEST = 4;

/**
 * What a JSON Schema wants, in a few words: `integer`, `array of string`, `"open" | "closed"`.
 *
 * @param definitions the `$defs` that it refers to
 */
export function schemaText(schema: unknown, definitions: unknown, depth = 0): string {
  if (depth > DEEPEST) return "…";
  const inner = (part: unknown) => schemaText(part, definitions, depth + 1);
  const reference = definitionName(valueAt(schema, ["$ref"]));
  if (reference !== undefined) return inner(valueAt(definitions, [reference]));
  const values = valueAt(schema, ["enum"]);
  if (Array.isArray(values)) return valuesText(values);
  const constant = valueAt(schema, ["const"]);
  if (constant !== undefined) return JSON.stringify(constant);
  for (const keyword of ["oneOf", "anyOf"]) {
    const branches = valueAt(schema, [keyword]);
    const told = Array.isArray(branches) ? [...new Set(branches.map(inner))] : [];
    // Branches may say which members are there, and nothing of types.
    if (told.some((text) => text !== ANY)) return told.join(" | ");
  }
  const all = valueAt(schema, ["allOf"]);
  const type = valueAt(schema, ["type"]);
  if (type === undefined && Array.isArray(all) && all.length > 0) return inner(all[0]);
  return typeText(schema, type, inner);
}

function typeText(schema: unknown, type: unknown, inner: (part: unknown) => string): string {
  if (Array.isArray(type)) return type.map((one) => typeText(schema, one, inner)).join(" | ");
  if (type === "array") {
    const items = inner(valueAt(schema, ["items"]));
    return items === ANY ? "array" : `array of ${items.includes(" | ") ? `(${items})` : items}`;
  }
  const format = valueAt(schema, ["format"]);
  if (typeof type === "string") return typeof format === "string" && type !== "null" ? `${type} (${format})` : type;
  return valueAt(schema, ["properties"]) === undefined ? ANY : "object";
}

const ANY = "any";

function valuesText(values: readonly unknown[]): string {
  const told = values.slice(0, VALUES_TOLD).map((value) => JSON.stringify(value));
  return [...told, ...(values.length > VALUES_TOLD ? [`… (${values.length} values)`] : [])].join(" | ");
}
