import { isJsonObject, type JsonObject } from "../../json.ts";

/** What of a schema people read, and values are not checked against. */
const TEXTS = new Set(["title", "description"]);

/** Schemas of which each is compared with each. */
const MAX_COMPARED = 20;

/** A schema for what meets all of these, with the last word on what it means. What another one says already is left out. */
export function conjunction(schemas: readonly unknown[]): unknown {
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
