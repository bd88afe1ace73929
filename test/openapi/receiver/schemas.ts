import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { at, resolved } from "./pointer.ts";

const MAPS = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
const SCHEMAS = new Set(
  "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties allOf anyOf oneOf prefixItems".split(
    " ",
  ),
);
/** Defaults would be filled in, and `discriminator` is read more narrowly than OpenAPI has it (`exceptions.ts`). */
const DROPPED = new Set(
  "default discriminator example examples title description xml externalDocs readOnly".split(" "),
);

const NOTHING = { not: {} };

/** Copies schemas of a document, and what they refer to, to where the validator finds them. */
export interface SchemaCopies {
  readonly copy: (schema: unknown) => unknown;
  /** `components.schemas` of the copies, complete only when everything was copied. */
  readonly components: JsonObject;
  /** Whether one of them requires what it does not allow (`exceptions.ts`), so far. */
  readonly isContradictory: () => boolean;
}

/** @param isDraft4 whether schemas are those of OpenAPI 3.0, an extended JSON Schema of 2013 */
export function createSchemaCopies(document: JsonObject, isDraft4: boolean): SchemaCopies {
  const components: Record<string, unknown> = {};
  const names = new Map<string, string>();
  let contradictions = 0;

  function reference(pointer: string): string {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    const name = `s${names.size}`;
    names.set(pointer, name);
    components[name] = copy(at(document, pointer));
    return name;
  }

  function copy(schema: unknown): unknown {
    if (!isJsonObject(schema)) return schema;
    const entries = Object.entries(schema).flatMap(([keyword, value]) => keywordOf(keyword, value));
    const copied = withoutReadOnly(anyOfDiscriminated(Object.fromEntries(entries), schema), schema);
    return nullable(possible(copied), isDraft4);
  }

  function keywordOf(keyword: string, value: unknown): [string, unknown][] {
    if (DROPPED.has(keyword) || !isOfDialect(keyword, value)) return [];
    if (keyword === "$ref" && typeof value === "string") return [[keyword, `#/components/schemas/${reference(value)}`]];
    if (MAPS.has(keyword) && isJsonObject(value)) {
      return [[keyword, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, copy(schema)]))]];
    }
    if (!SCHEMAS.has(keyword)) return [[keyword, value]];
    return [[keyword, Array.isArray(value) ? value.map(copy) : copy(value)]];
  }

  /** What the dialect of the document has no such keyword for says nothing. */
  function isOfDialect(keyword: string, value: unknown): boolean {
    // JSON Schema 2019-09 had them; Ajv follows them, though 2020-12 does not.
    if (keyword === "$recursiveRef" || keyword === "$recursiveAnchor") return false;
    if (keyword === "pattern") return isPattern(value);
    return !/^exclusive(Min|Max)imum$/.test(keyword) || (typeof value === "boolean") === isDraft4;
  }

  /** What is read-only is not sent, required or not; this holds for properties only (OpenAPI, Schema Object). */
  function withoutReadOnly(result: JsonObject, { properties, required }: JsonObject): JsonObject {
    if (!isJsonObject(properties) || !isJsonObject(result.properties)) return result;
    const readOnly = new Set(Object.keys(properties).filter((name) => isReadOnly(properties[name])));
    if (readOnly.size === 0) return result;
    const { required: _, ...rest } = result;
    const sent = Array.isArray(required) ? required.filter((name) => !readOnly.has(name)) : [];
    const copies = Object.entries(result.properties).map(([name, schema]) => [
      name,
      readOnly.has(name) ? NOTHING : schema,
    ]);
    return { ...rest, properties: Object.fromEntries(copies), ...(sent.length > 0 && { required: sent }) };
  }

  /** No value has a member that is required and not allowed: it is left to the API whether it is asked for. */
  function possible(schema: JsonObject): JsonObject {
    const { required, properties, additionalProperties, patternProperties } = schema;
    if (additionalProperties !== false || patternProperties !== undefined || !Array.isArray(required)) return schema;
    const met = required.filter((name) => isJsonObject(properties) && Object.hasOwn(properties, name));
    if (met.length === required.length) return schema;
    contradictions++;
    const { required: _, ...rest } = schema;
    return met.length === 0 ? rest : { ...rest, required: met };
  }

  function isReadOnly(property: unknown): boolean {
    const schema = resolved(document, property);
    return isJsonObject(schema) && (schema.readOnly === true || (isJsonObject(property) && property.readOnly === true));
  }

  return { copy, components, isContradictory: () => contradictions > 0 };
}

/**
 * OpenAPI 3.0's `nullable`, which Ajv takes only beside a `type`. Documents of 3.1, which knows it no more, mean by it that
 * null is accepted, also where a list of values does not say so.
 */
function nullable(schema: JsonObject, isDraft4: boolean): JsonObject {
  const { nullable, ...rest } = schema;
  if (nullable !== true) return rest;
  const isListed = Array.isArray(rest.enum) && !isDraft4;
  return rest.type === undefined || isListed ? { anyOf: [rest, { enum: [null] }] } : schema;
}

/** What the property of a discriminator chooses from may fit more than once; `exceptions.ts` says why it is not read. */
function anyOfDiscriminated({ oneOf, ...rest }: JsonObject, { discriminator }: JsonObject): JsonObject {
  if (oneOf === undefined) return rest;
  return isJsonObject(discriminator) && rest.anyOf === undefined ? { ...rest, anyOf: oneOf } : { ...rest, oneOf };
}

function isPattern(value: unknown): boolean {
  try {
    return new RegExp(String(value), "u") instanceof RegExp;
  } catch {
    return false;
  }
}
