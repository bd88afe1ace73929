import type { JsonSchema } from "../bridge/catalog.ts";
import { isJsonObject } from "../json.ts";

/** RFC 9110 §5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/**
 * Names of the `Mcp-Param-*` headers that repeat arguments of a tool: its input schema declares them with `x-mcp-header`
 * on properties that are reached through `properties` alone (MCP 2026-07-28, Transports). What is no header name is none.
 */
export function parameterHeaders(schema: JsonSchema): readonly string[] {
  const { properties } = schema;
  if (!isJsonObject(properties)) return [];
  return Object.values(properties)
    .filter(isJsonObject)
    .flatMap((property) => [...declared(property), ...parameterHeaders(property)]);
}

function declared({ "x-mcp-header": name }: JsonSchema): readonly string[] {
  return typeof name === "string" && TOKEN.test(name) ? [`Mcp-Param-${name}`] : [];
}
