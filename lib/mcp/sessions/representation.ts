import { sessionExpiresAt } from "../../stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../stores/mcp-sessions.ts";

/** A session as the management API shows it. Times in ISO 8601, UTC. */
export interface ShownSession {
  /** SHA-256 of the id that the agent holds, which itself is never shown. */
  readonly id: string;
  readonly transport: McpSessionRecord["transport"];
  /** Absent, like `user` and `issuer`, where nobody is authenticated. */
  readonly agent?: string;
  readonly user?: string;
  /** The authorization server that vouched for them. */
  readonly issuer?: string;
  readonly protocolVersion: string;
  /** What the agent's software says of itself. */
  readonly clientInfo: McpSessionRecord["clientInfo"];
  readonly startedAt: string;
  /** To a sixtieth of the timeout. */
  readonly lastSeenAt: string;
  /** When it is over, unless it is used before. */
  readonly expiresAt: string;
}

/** What is shown is named here, so that nothing that a record holds besides leaves the process. */
export function representSession(session: McpSessionRecord): ShownSession {
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
