import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { sessionExpired, sessionExpiresAt } from "../../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../../lib/stores/mcp-sessions.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { keyAttributes } from "./items.ts";
import { mcpSessionKey, mcpSessionListKey } from "./keys.ts";
import { readSession } from "./mcp-session-items.ts";
import { transact } from "./transact.ts";

/** A strongly consistent read of a live session. One that is over is ended with its record. */
export async function readLiveSession(
  database: Database,
  audit: AuditWriter,
  sessionHash: string,
  now: number,
): Promise<McpSessionRecord | undefined> {
  const session = await readSession(database, sessionHash);
  if (session === undefined || sessionExpiresAt(session) > now) return session;
  await endExpired(database, audit, session);
  return undefined;
}

/** Ends an expired session with its record. False when another has ended it, or used it by a clock that is behind. */
export function endExpired(database: Database, audit: AuditWriter, read: McpSessionRecord): Promise<boolean> {
  return endSession(database, audit, read, sessionExpired(read), { onlyAsRead: true });
}

/**
 * Removes a session and its listing together with the event. False, and nothing is recorded, when it is gone.
 * Its entry among the due ones stays for the sweep: where it lies, nobody but the sweep knows.
 */
export async function endSession(
  database: Database,
  audit: AuditWriter,
  read: McpSessionRecord,
  event: AuditEvent,
  { onlyAsRead = false } = {},
): Promise<boolean> {
  const { sessionHash, organizationId, startedAt, lastSeenAt } = read;
  const TableName = database.tables.sessions;
  const condition = onlyAsRead
    ? {
        ConditionExpression: "lastSeenAt = :read",
        ExpressionAttributeValues: { ":read": { N: String(lastSeenAt) } },
      }
    : { ConditionExpression: "attribute_exists(pk)" };
  const failed = await transact(database, {
    session: { Delete: { TableName, Key: keyAttributes(mcpSessionKey(sessionHash)), ...condition } },
    listing:
      organizationId === undefined
        ? undefined
        : { Delete: { TableName, Key: keyAttributes(mcpSessionListKey(organizationId, startedAt, sessionHash)) } },
    event: await audit.write(event),
  });
  return failed.size === 0;
}
