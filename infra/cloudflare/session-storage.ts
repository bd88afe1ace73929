import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { getMcpSession } from "../../lib/stores/sql/mcp-sessions.ts";
import { mcpSessionMigrations } from "../../lib/stores/sql/migrations/mcp-sessions.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { openDatabase } from "./database.ts";

/** Makes the tables of a session where there are none. */
export function openSession(storage: DurableObjectStorage): SqlDatabase {
  return openDatabase(storage, [mcpSessionMigrations, outboxMigrations]);
}

/** The tables of a session that was created and is not forgotten yet. Undefined, and nothing is written, where none are. */
export function openStoredSession(storage: DurableObjectStorage): SqlDatabase | undefined {
  const tables = storage.sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'mcp_sessions'").toArray();
  return tables.length === 0 ? undefined : openSession(storage);
}

/** The object's session, also one that has expired and is not recorded as such. */
export function storedSession(db: SqlDatabase): McpSessionRecord | undefined {
  const hash = db.all("SELECT session_hash FROM mcp_sessions")[0]?.session_hash;
  return hash === undefined ? undefined : getMcpSession(db, String(hash), 0);
}

/**
 * When the alarm has to ring for the session's expiry, unless it is used again: once it is over for callers whose clocks are
 * behind, too. Undefined when no session is left.
 */
export function expiryAlarm(db: SqlDatabase): number | undefined {
  const expiry = db.all("SELECT expires_at FROM mcp_sessions")[0]?.expires_at;
  return expiry === undefined ? undefined : Number(expiry) + EXPIRY_MARGIN;
}
