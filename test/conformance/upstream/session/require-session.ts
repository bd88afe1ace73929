import type { IncomingMessage } from "node:http";
import type { Refusal } from "../guard.ts";
import { header } from "../http.ts";
import { HEADER_REVISION } from "./initialize.ts";
import type { Session, Sessions } from "./session.ts";

/** The session that a request belongs to, or why it belongs to none (MCP 2025-11-25, Session Management). */
export function requireSession(request: IncomingMessage, sessions: Sessions): Session | Refusal {
  const id = header(request, "mcp-session-id");
  if (id === undefined) return { status: 400, message: "Mcp-Session-Id is missing." };
  const session = sessions.get(id);
  if (session === undefined) return { status: 404, message: "There is no such session." };
  const version = header(request, "mcp-protocol-version");
  const mayBeMissing = session.protocolVersion < HEADER_REVISION;
  if (version === session.protocolVersion || (version === undefined && mayBeMissing)) return session;
  const message = `MCP-Protocol-Version is ${version}; ${session.protocolVersion} was agreed on.`;
  return { status: 400, message };
}

export function isRefusal(value: Session | Refusal): value is Refusal {
  return "status" in value;
}
