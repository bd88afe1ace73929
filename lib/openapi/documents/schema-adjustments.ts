import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { JsonSchema } from "../catalog.ts";
import { bounded, member } from "./plain.ts";

/**
 * One level of an output schema, without what answers in use break although nothing is wrong with them (D100): what
 * remains tells which members there are and of which type. Values of an enumeration become examples, everything may be
 * null or missing, and of several alternatives more than one may fit.
 */
export function describing(schema: JsonSchema): JsonSchema {
  // Names by pattern decide with each other which members are additional ones.
  const additional = schema.patternProperties === undefined ? schema.additionalProperties : false;
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "additionalProperties") return additional === false ? [] : [[keyword, value]];
    if (keyword === "type") return [[keyword, orNull(value)]];
    if (keyword === "oneOf") return [["anyOf", value]];
    if (keyword === "enum") return [["examples", value]];
    if (keyword === "const") return [["examples", [value]]];
    return KEPT.has(keyword) ? [[keyword, value]] : [];
  });
  return Object.fromEntries(members);
}

const KEPT = new Set(
  "$ref allOf anyOf properties items prefixItems title description default deprecated contentEncoding contentMediaType".split(
    " ",
  ),
);

function orNull(type: unknown): unknown {
  const types = [type].flat();
  return types.includes("null") ? type : [...types, "null"];
}

/**
 * `oneOf` with a `discriminator`: its property tells which schema is meant (OpenAPI 3.2, Discriminator Object), and the
 * others often fit as well, because they ask for little. JSON Schema does not know it, so that any of them may fit.
 */
export function withoutChoice(written: JsonObject, schema: JsonSchema): JsonSchema {
  const { oneOf, ...rest } = schema;
  return isChoice(written) && oneOf !== undefined ? { ...rest, anyOf: oneOf } : schema;
}

/** Whether its `oneOf`, if it has one, becomes `anyOf`. */
export function isChoice({ discriminator, anyOf }: JsonObject): boolean {
  return isJsonObject(discriminator) && (anyOf === undefined || anyOf === null);
}

const CONSTRAINTS = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"];

/**
 * `nullable: true` of OpenAPI 3.0, where bringing the document up to 3.1 left it: on schemas without a type, and in
 * documents that call themselves 3.1 and still have it. The result admits null.
 */
export function admittingNull({ nullable }: JsonObject, schema: JsonSchema): JsonSchema {
  if (nullable !== true) return schema;
  const { type, enum: values } = schema;
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  if (typeof type === "string") return { ...schema, ...listed, type: type === "null" ? type : [type, "null"] };
  if (type !== undefined) return schema;
  const constraints = CONSTRAINTS.filter((keyword) => schema[keyword] !== undefined);
  if (constraints.length === 0) return schema;
  if (constraints.length === 1 && constraints[0] === "enum") return { ...schema, ...listed };
  const { title, description, ...rest } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: [rest, { type: "null" }],
  };
}

/**
 * A closed object that requires a member which it does not have: a mistake, as no value would do. What it asks for beyond
 * itself is left to the API, so that the operation can be called.
 */
export function possible(schema: JsonSchema): JsonSchema {
  const { required, properties, additionalProperties, patternProperties } = schema;
  if (additionalProperties !== false || patternProperties !== undefined || !Array.isArray(required)) return schema;
  const met = required.filter((name) => isJsonObject(properties) && Object.hasOwn(properties, name));
  if (met.length === required.length) return schema;
  const { required: _, ...rest } = schema;
  return { ...rest, ...(met.length > 0 && { required: met }) };
}

/** Characters of a description. */
const LIMIT = 600;

/** The schema of an argument with what its parameter or body says of itself, where the schema says nothing. */
export function described(
  schema: JsonSchema | boolean,
  description: string | undefined,
  deprecated = false,
): JsonSchema | boolean {
  if (schema === true && (description !== undefined || deprecated)) return described({}, description, deprecated);
  if (!isJsonObject(schema)) return schema;
  return {
    ...schema,
    ...(description !== undefined &&
      member(schema, "description") === undefined && { description: bounded(description, LIMIT) }),
    ...(deprecated && { deprecated }),
  };
}
