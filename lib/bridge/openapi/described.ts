import { isJsonObject } from "../../json.ts";
import type { JsonSchema } from "../catalog.ts";
import { bounded, member } from "./plain.ts";

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
