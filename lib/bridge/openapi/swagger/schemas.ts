import type { JsonObject } from "../../../json.ts";

/** Keywords whose value is data. */
const DATA = new Set(["example", "examples", "enum"]);

/** A copy in which Swagger 2.0's own schema keywords are those of OpenAPI 3.0: `type: file` and `x-nullable`. */
export function withSchemas(document: JsonObject): JsonObject {
  return copy(document) as JsonObject;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, DATA.has(name) ? member : copy(member)]);
  return { ...Object.fromEntries(members), ...own(value as JsonObject) };
}

function own(schema: JsonObject): JsonObject {
  return {
    ...(schema.type === "file" && { type: "string", format: "binary" }),
    ...(schema["x-nullable"] === true && { nullable: true }),
  };
}
