import type { JsonObject } from "../../kernel/json.ts";

/** Methods whose `Mcp-Name` repeats a parameter (MCP 2026-07-28, Transports, Standard Request Headers; the extension Tasks). */
const NAMED_BY: Readonly<Record<string, string>> = {
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/cancel": "taskId",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tools/call": "name",
};

/** What `Mcp-Name` has to say; undefined for methods without. */
export function nameOf(method: string, params: JsonObject): unknown {
  return Object.hasOwn(NAMED_BY, method) ? params[NAMED_BY[method] ?? ""] : undefined;
}
