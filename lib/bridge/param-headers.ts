import { isJsonObject } from "../json.ts";
import type { ParamHeader } from "./catalog.ts";

/** RFC 9110 §5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** What a tool's schema declares by `x-mcp-header` (MCP 2026-07-28, Transports, Custom Headers from Tool Parameters). */
export function paramHeadersOf(schema: unknown, path: readonly string[] = []): readonly ParamHeader[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    const header = isJsonObject(property) ? property["x-mcp-header"] : undefined;
    const inner = paramHeadersOf(property, [...path, key]);
    return typeof header === "string" && TOKEN.test(header)
      ? [{ name: `Mcp-Param-${header}`, path: [...path, key] }, ...inner]
      : inner;
  });
}
