import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Generation } from "../generations.ts";
import { isCompilable } from "./compilable.ts";
import { withPropertyObjects } from "./property-schemas.ts";

/**
 * An output schema as clients are shown it; undefined where they could not read it. In the session generation its root is that
 * of an object (MCP 2025-11-25, Tools, Data Types), in the stateless one it may be any schema. Its `$id` is left away:
 * validators keep schemas by it, and would take one server's for another's.
 */
export function readableOutputSchema(schema: unknown, agent: Generation): JsonObject | undefined {
  if (!isJsonObject(schema) || !isCompilable(schema)) return undefined;
  if (agent === "session" && schema.type !== "object") return undefined;
  if (schema.$id === undefined) return withPropertyObjects(schema);
  const { $id, ...rest } = schema;
  return withPropertyObjects(rest);
}
