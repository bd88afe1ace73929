import type { McpSession } from "../../management/schemas/mcp-sessions.ts";
import { sessionExpiresAt } from "../../stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../stores/mcp-sessions.ts";

/**
 * A session as the management API shows it. What is shown is named here, so that nothing that a record holds besides
 * leaves the process.
 */
export function representSession(session: McpSessionRecord): McpSession {
  const { sessionHash, transport, agent, user, issuer, protocolVersion, clientInfo, startedAt, lastSeenAt } = session;
  return {
    id: sessionHash,
    transport,
    ...(agent !== undefined && { agent }),
    ...(user !== undefined && { user }),
    ...(issuer !== undefined && { issuer }),
    protocolVersion,
    clientInfo,
    startedAt: shownTime(startedAt),
    lastSeenAt: shownTime(lastSeenAt),
    expiresAt: shownTime(sessionExpiresAt(session)),
  };
}

function shownTime(time: number): string {
  return new Date(time).toISOString();
}
