import type { JsonObject } from "../../json.ts";
import type { JsonSchema } from "../catalog.ts";

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
