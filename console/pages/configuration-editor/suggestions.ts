import { type KnownKey, keysOf, kindOf, type Schema, schemasAt, valuesOf } from "./schema-at.ts";
import type { YamlPlace } from "./yaml-place.ts";

/** Something that may be written at a place. */
export interface Suggestion {
  readonly label: string;
  /** What is put in. */
  readonly text: string;
  readonly detail?: string;
  /** Whose help is shown beside it. */
  readonly schema?: Schema;
  readonly isRequired: boolean;
}

/** The keys that are not written yet, or the values that are known one by one. */
export function suggestionsAt(schema: Schema, { path, kind, siblings, around }: YamlPlace): readonly Suggestion[] {
  const schemas = schemasAt(schema, path, (depth, key) => around.get(depth)?.get(key));
  if (kind === "value") return valuesOf(schemas).map((value) => ({ label: value, text: value, isRequired: false }));
  const keys = keysOf(schemas, (key) => siblings.get(key)).filter(({ name }) => !siblings.has(name));
  // An entry of a list may be a scalar of its own.
  const values = keys.length > 0 ? [] : valuesOf(schemas);
  return [...keys.map(suggestionOf), ...values.map((value) => ({ label: value, text: value, isRequired: false }))];
}

function suggestionOf({ name, schema, isRequired }: KnownKey): Suggestion {
  const kind = kindOf(schema);
  return {
    ...{ label: name, text: kind === "scalar" ? `${name}: ` : `${name}:`, schema, isRequired },
    ...(isRequired && { detail: "required" }),
  };
}

/** The schema of the key that a place is the value of, with what is said of it. */
export function schemaOfKey(schema: Schema, { path, around }: YamlPlace): Schema | undefined {
  const found = schemasAt(schema, path, (depth, key) => around.get(depth)?.get(key));
  return found.find(({ description }) => description !== undefined) ?? found[0];
}
