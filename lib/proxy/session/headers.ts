import type { UpstreamSession } from "../../stores/mcp-sessions.ts";

/** Headers of what is sent in an upstream's session (MCP 2025-11-25, Transports, Session Management, Protocol Version Header). */
export function sessionHeaders({ sessionId, protocolVersion }: UpstreamSession): Readonly<Record<string, string>> {
  return {
    "mcp-protocol-version": protocolVersion,
    ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
  };
}
