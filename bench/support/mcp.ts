import type { Target } from "./http-request.ts";

/** An MCP server under measurement, with a session that is open. */
export interface McpServerUnderLoad {
  readonly name: string;
  readonly pid: number;
  readonly target: Target;
  readonly sessionPath: string;
  readonly statelessPath: string;
  readonly sessionId: string;
}

const HEADERS = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };

export const SESSION_HEADERS = { ...HEADERS, "MCP-Protocol-Version": "2025-11-25" };
export const STATELESS_HEADERS = { ...HEADERS, "MCP-Protocol-Version": "2026-07-28" };

export const STATELESS_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Shakes hands, with headers that every request carries. Returns the session's id. */
export async function openSession(url: string, carried: Readonly<Record<string, string>> = {}): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const post = (message: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url, { method: "POST", headers: { ...HEADERS, ...carried, ...headers }, body: JSON.stringify(message) });
  const answer = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const id = answer.headers.get("mcp-session-id");
  if (id === null) throw new Error(`no session was opened: ${answer.status} ${await answer.text()}`);
  await post({ jsonrpc: "2.0", method: "notifications/initialized" }, { ...SESSION_HEADERS, "Mcp-Session-Id": id });
  return id;
}
