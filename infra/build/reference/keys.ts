import type { JsonSchema } from "../../../lib/config/json-schema.ts";

/** One key of the configuration, for the reference page. */
export interface ReferenceKey {
  /** `tls.<name>.certFile`, `apps[].name`. */
  readonly key: string;
  /** What messages call the accepted values. */
  readonly accepted: string;
  readonly required: boolean;
  /** Undefined: absent unless written. */
  readonly default: unknown;
  readonly meaning: string | undefined;
  readonly example: unknown;
  /** The heading that it stands under. */
  readonly section: string;
}

/** The keys of the document, in the order of the schema. Mappings and lists of mappings are told by what is in them. */
export function documentKeys({ properties = {}, required = [] }: JsonSchema): readonly ReferenceKey[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    describe(schema, { key: name, section: name, required: required.includes(name) }),
  );
}

interface Place {
  readonly key: string;
  readonly section: string;
  readonly required: boolean;
}

function describe(schema: JsonSchema, place: Place): readonly ReferenceKey[] {
  const variants = schema.oneOf ?? (schema.items?.oneOf === undefined ? undefined : schema.items.oneOf);
  if (variants?.every(({ properties }) => properties?.type !== undefined)) {
    const key = schema.items === undefined ? place.key : `${place.key}[]`;
    return variants.flatMap((variant) => below(variant, { ...place, key, section: sectionOf(place.section, variant) }));
  }
  if (schema.properties !== undefined) return withOwn(schema, place, below(schema, place));
  const { additionalProperties: values, items } = schema;
  if (typeof values === "object" && values.properties !== undefined) {
    return withOwn(schema, place, below(values, { ...place, key: `${place.key}.<name>` }));
  }
  if (items?.properties !== undefined) return withOwn(schema, place, below(items, { ...place, key: `${place.key}[]` }));
  return [
    leaf(
      items === undefined ? schema : { ...items, ...schema },
      items === undefined ? place : { ...place, key: `${place.key}[]` },
    ),
  ];
}

function sectionOf(section: string, { properties }: JsonSchema): string {
  const { const: only, enum: several } = properties?.type ?? {};
  return `${section}[] of type ${String(only ?? several?.[0])}`;
}

/** A section has a line of its own when something is to be said about it. */
function withOwn(schema: JsonSchema, place: Place, keys: readonly ReferenceKey[]): readonly ReferenceKey[] {
  if (schema.description === undefined || keys.length === 0) return keys;
  return [
    { ...leaf(schema, place), accepted: schema.type === "array" ? "list" : "mapping", default: undefined },
    ...keys,
  ];
}

function below({ properties = {}, required = [] }: JsonSchema, place: Place): readonly ReferenceKey[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    describe(schema, { ...place, key: `${place.key}.${name}`, required: required.includes(name) }),
  );
}

function leaf(schema: JsonSchema, { key, section, required }: Place): ReferenceKey {
  const { accepted = schema.type ?? "any value", default: written, description, examples } = schema;
  return { key, section, accepted, required, default: written, meaning: description, example: examples?.[0] };
}
