import type { Schema } from "../../configuration-check/protocol.ts";

export type { Schema };

/** Keys from the top, and `ITEM` for an entry of a list. */
export type SchemaPath = readonly (string | typeof ITEM)[];
export const ITEM = Symbol("entry of a list");

/** Values of siblings that tell forms of an entry apart, for example `type: proxy`; by the length of the path that they are at. */
export type Siblings = (depth: number, key: string) => string | undefined;

/**
 * The schemas that a place of the document may have: several where it has several forms, fewer where the siblings that are
 * written already say which of them it is.
 */
export function schemasAt(schema: Schema, path: SchemaPath, siblings: Siblings = () => undefined): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (schemas, step, depth) => formsOf(schemas, (key) => siblings(depth, key)).flatMap((one) => below(one, step)),
    [schema],
  );
}

function below(schema: Schema, step: SchemaPath[number]): readonly Schema[] {
  if (step === ITEM) return schema.items === undefined ? [] : [schema.items];
  const { properties = {}, additionalProperties } = schema;
  const own = Object.hasOwn(properties, step) ? properties[step] : undefined;
  if (own !== undefined) return [own];
  return typeof additionalProperties === "object" ? [additionalProperties] : [];
}

/** Every form of these schemas, but those that a written sibling rules out. */
function formsOf(schemas: readonly Schema[], written: (key: string) => string | undefined): readonly Schema[] {
  return schemas
    .flatMap((schema) => (schema.anyOf === undefined ? [schema] : [...formsOf(schema.anyOf, written), schema]))
    .filter(({ properties = {} }) =>
      Object.entries(properties).every(([key, { const: value }]) => {
        const found = value === undefined ? undefined : written(key);
        return found === undefined || found === value;
      }),
    );
}

/** A key that may be written at a place. */
export interface KnownKey {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The keys of all forms, each once. */
export function keysOf(schemas: readonly Schema[], written: (key: string) => string | undefined): readonly KnownKey[] {
  const keys = new Map<string, KnownKey>();
  for (const { properties = {}, required = [] } of formsOf(schemas, written)) {
    for (const [name, schema] of Object.entries(properties)) {
      if (!keys.has(name)) keys.set(name, { name, schema, isRequired: required.includes(name) });
    }
  }
  return [...keys.values()];
}

/** The values that a scalar may have, where they are known one by one. */
export function valuesOf(schemas: readonly Schema[]): readonly string[] {
  const values = formsOf(schemas, () => undefined).flatMap((schema) => [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.type === "boolean" ? [true, false] : []),
  ]);
  return [...new Set(values.map(String))];
}

/** What stands in front of a key's value: nothing that has keys or entries of its own begins on the same line. */
export function kindOf(schema: Schema): "mapping" | "list" | "scalar" {
  const forms = formsOf([schema], () => undefined);
  if (forms.some(({ type, properties }) => type === "object" || properties !== undefined)) return "mapping";
  return forms.some(({ type, items }) => type === "array" || items !== undefined) ? "list" : "scalar";
}
