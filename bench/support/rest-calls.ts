import { serializeJson, type Target } from "./http-request.ts";
import { SESSION_HEADERS } from "./mcp.ts";

/** What the API behind the tools answers. */
export const NOTES = { items: [{ id: 1, text: "A note of the benchmark. ".repeat(6) }] };

/** Calls of the tool that lists notes, each in the next of the sessions. */
export function noteCalls(target: Target, tool: string, sessions: readonly string[], count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, id) =>
    serializeJson(target, {
      path: "/mcp",
      headers: { ...SESSION_HEADERS, "Mcp-Session-Id": sessions[id % sessions.length] ?? "" },
      body: JSON.stringify({ jsonrpc: "2.0", id: id + 1, method: "tools/call", params: { name: tool, arguments: {} } }),
    }),
  );
}
