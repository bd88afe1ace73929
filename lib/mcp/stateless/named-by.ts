import type { JsonObject } from "../../json.ts";

/** Methods whose `Mcp-Name` repeats a parameter (MCP 2026-07-28, Transports, Standard Request Headers). */
const NAMED_BY: Readonly<Record<string, string>> = {
  "prompts/get": "name",
  "resources/read": "uri",
  "tools/call": "name",
};

/** What `Mcp-Name` has to say; undefined for methods without. */
export function nameOf(method: string, params: JsonObject): unknown {
  return Object.hasOwn(NAMED_BY, method) ? params[NAMED_BY[method] ?? ""] : undefined;
}
