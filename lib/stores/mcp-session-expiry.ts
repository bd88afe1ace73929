import { fromBase64url } from "../kernel/encoding.ts";
import { ulid } from "../kernel/ids.ts";
import type { AuditEvent } from "./audit-log.ts";
import type { McpSessionRecord } from "./mcp-sessions.ts";

/** Uses are written down when the last one that was is this part of the timeout old. */
const PARTS = 60;

/**
 * When the session is over, milliseconds since the epoch. Up to 1/60 of the timeout of its use is not written down and
 * counts in its favour: never early, and at most that much late.
 */
export function sessionExpiresAt({ lastSeenAt, timeout }: Pick<McpSessionRecord, "lastSeenAt" | "timeout">): number {
  return lastSeenAt + timeout + unwritten(timeout);
}

/** Whether a use at `now` has to be written down, or the session could expire early. */
export function isUseDue({ lastSeenAt, timeout }: McpSessionRecord, now: number): boolean {
  return now - lastSeenAt >= unwritten(timeout);
}

/** The record of a session's expiry, the same whoever notices it: written twice, it is one record. */
export function sessionExpired(session: McpSessionRecord): AuditEvent {
  const { sessionHash, organizationId, issuer, agent, user, region } = session;
  const time = sessionExpiresAt(session);
  const bytes = fromBase64url(sessionHash) ?? new Uint8Array();
  return {
    id: ulid(time, { bytes: (length) => bytes.slice(0, length) }),
    time,
    type: "session.expired",
    outcome: "success",
    ...(organizationId !== undefined && { organizationId }),
    ...(agent !== undefined && { agent }),
    ...(user !== undefined && { user }),
    ...(region !== undefined && { region }),
    details: { sessionId: sessionHash, ...(issuer !== undefined && { issuer }) },
  };
}

function unwritten(timeout: number): number {
  return Math.floor(timeout / PARTS);
}
