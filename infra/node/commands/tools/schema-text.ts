import { valueAt } from "../../../../lib/config/path.ts";
import { definitionName } from "../../../../lib/openapi/catalog-texts.ts";

/** Levels of alternatives and lists that are told. */
const DEEPEST = 4;
/** References and compositions that are followed to one schema: some lead back to where they began. */
const MAX_STEPS = 50;

/**
 * What a JSON Schema wants, in a few words: `integer`, `array of string`, `"open" | "closed"`, `object {name, size}`.
 *
 * @param definitions the `$defs` that it refers to
 * @param told how many values of an `enum` and properties of an object are told one by one; absent: all
 */
export function schemaText(schema: unknown, definitions: unknown, told = Number.POSITIVE_INFINITY): string {
  const text = typeOf(schema, { definitions, told }, 0);
  const names = text === "object" ? propertyNames(schema, definitions) : [];
  return names.length === 0 ? text : `object {${some(names, told).join(", ")}}`;
}

interface Telling {
  readonly definitions: unknown;
  readonly told: number;
}

function typeOf(schema: unknown, telling: Telling, depth: number): string {
  const whole = followed(schema, telling.definitions);
  const values = valueAt(whole, ["enum"]);
  if (Array.isArray(values)) return some(values.map(jsonText), telling.told).join(" | ");
  const constant = valueAt(whole, ["const"]);
  if (constant !== undefined) return JSON.stringify(constant);
  // What is too deep is told by its kind.
  const inner = (part: unknown) => (depth < DEEPEST ? typeOf(part, telling, depth + 1) : ANY);
  for (const keyword of ["oneOf", "anyOf"]) {
    const branches = valueAt(whole, [keyword]);
    const types = Array.isArray(branches) ? [...new Set(branches.map(inner))] : [];
    // Branches may say which members are there, and nothing of types.
    if (types.some((text) => text !== ANY)) return types.join(" | ");
  }
  return typeText(whole, valueAt(whole, ["type"]), inner);
}

/** Where references lead, and the first of a composition that has no type of its own. */
function followed(schema: unknown, definitions: unknown): unknown {
  let whole = schema;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const reference = definitionName(valueAt(whole, ["$ref"]));
    const all = valueAt(whole, ["allOf"]);
    if (reference !== undefined) whole = valueAt(definitions, [reference]);
    else if (valueAt(whole, ["type"]) === undefined && Array.isArray(all) && all.length > 0) whole = all[0];
    else break;
  }
  return whole;
}

/** Of an object and of all that it is composed of. */
function propertyNames(schema: unknown, definitions: unknown): readonly string[] {
  const parts = new Set([schema]);
  // What is added meanwhile is looked at too.
  for (const part of parts) {
    const reference = definitionName(valueAt(part, ["$ref"]));
    const all = valueAt(part, ["allOf"]);
    if (reference !== undefined) parts.add(valueAt(definitions, [reference]));
    for (const inner of Array.isArray(all) ? all : []) parts.add(inner);
  }
  return [...new Set([...parts].flatMap((part) => Object.keys(Object(valueAt(part, ["properties"])))))];
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

function jsonText(value: unknown): string {
  return JSON.stringify(value);
}

/** All, or the first of them and how many there are. */
function some(texts: readonly string[], limit: number): readonly string[] {
  return texts.length <= limit ? texts : [...texts.slice(0, limit), `… (${texts.length})`];
}
