import type { ParamHeader } from "../../bridge/catalog.ts";
import { isJsonObject } from "../../json.ts";

/** RFC 9110 §5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/**
 * Types of arguments that a header can repeat. The specification leaves `number` out; servers declare it all the same, and
 * check the header then.
 */
const SCALARS: readonly unknown[] = ["string", "integer", "number", "boolean"];

/**
 * Arguments of an upstream's tool that a request repeats in headers (MCP 2026-07-28, Custom Headers from Tool Parameters): those
 * that are declared as the specification has it, reached through `properties` alone. Of declarations with one name none counts.
 */
export function declaredParamHeaders(inputSchema: unknown): readonly ParamHeader[] {
  const declared = below(inputSchema, []);
  const counts = Map.groupBy(declared, ({ name }) => name.toLowerCase());
  return declared.filter(({ name }) => counts.get(name.toLowerCase())?.length === 1);
}

function below(schema: unknown, path: readonly string[]): readonly ParamHeader[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    const at = [...path, key];
    const header = isJsonObject(property) && SCALARS.includes(property.type) ? property["x-mcp-header"] : undefined;
    const inner = below(property, at);
    return typeof header === "string" && TOKEN.test(header)
      ? [{ name: `Mcp-Param-${header}`, path: at }, ...inner]
      : inner;
  });
}
