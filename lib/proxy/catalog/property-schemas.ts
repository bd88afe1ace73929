import { isJsonObject, type JsonObject } from "../../json.ts";

/**
 * A schema whose properties are objects, as MCP's schema has them, and clients refuse a list for any other. JSON Schema also
 * has `true` and `false`, which have objects that mean the same.
 */
export function withPropertyObjects(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || !Object.values(properties).some(isBoolean)) return schema;
  const objects = Object.entries(properties).map(([name, property]) => [
    name,
    isBoolean(property) ? objectOf(property) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(objects) };
}

function objectOf(schema: boolean): JsonObject {
  return schema ? {} : { not: {} };
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}
