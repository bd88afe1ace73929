import { isJsonObject, type JsonObject } from "../../json.ts";
import type { JsonSchema } from "../catalog.ts";

/**
 * `oneOf` with a `discriminator`: its property tells which schema is meant (OpenAPI 3.2, Discriminator Object), and the
 * others often fit as well, because they ask for little. JSON Schema does not know it, so that any of them may fit.
 */
export function withoutChoice({ discriminator }: JsonObject, schema: JsonSchema): JsonSchema {
  const { oneOf, ...rest } = schema;
  if (!isJsonObject(discriminator) || oneOf === undefined || schema.anyOf !== undefined) return schema;
  return { ...rest, anyOf: oneOf };
}
