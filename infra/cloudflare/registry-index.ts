import { type Page, type PageRequest, pageOf } from "../../lib/stores/paging.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { afterSession, sessionCursor } from "../../lib/stores/sql/mcp-sessions.ts";
import type { MigrationSet } from "../../lib/stores/sql/migrate.ts";
import type { ListedSession } from "../../lib/stores/sql/outbox.ts";
import type { AuditShardKey } from "./audit-shard-name.ts";

/** Which audit shards hold records: queries ask these and no others. Kept by the registry. */
export const auditIndexMigrations: MigrationSet = {
  name: "audit-index",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE audit_shards (
          organization_id TEXT NOT NULL,
          day TEXT NOT NULL,
          shard INTEGER NOT NULL,
          PRIMARY KEY (organization_id, day, shard)
        ) STRICT, WITHOUT ROWID`,
      ],
    },
  ],
};

/** Days as `YYYY-MM-DD`, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** Idempotent. */
export function listAuditShard(db: SqlDatabase, { organizationId, day, shard }: AuditShardKey): void {
  db.run(
    "INSERT INTO audit_shards (organization_id, day, shard) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    organizationId,
    day,
    shard,
  );
}

/** Newest day first. */
export function auditShards(db: SqlDatabase, organizationId: string, range: DayRange): readonly AuditShardKey[] {
  const rows = db.all(
    `SELECT day, shard FROM audit_shards WHERE organization_id = ? AND day >= ? AND day <= ?
     ORDER BY day DESC, shard`,
    organizationId,
    range.from,
    range.to,
  );
  return rows.map((row) => ({ organizationId, day: String(row.day), shard: Number(row.shard) }));
}

/** Which sessions an organization has: a list asks these objects and no others. Kept by the registry. */
export const sessionIndexMigrations: MigrationSet = {
  name: "session-index",
  migrations: [
    {
      version: 1,
      statements: [
        `CREATE TABLE listed_sessions (
          organization_id TEXT NOT NULL,
          started_at INTEGER NOT NULL,
          session_hash TEXT NOT NULL,
          PRIMARY KEY (organization_id, started_at, session_hash)
        ) STRICT, WITHOUT ROWID`,
      ],
    },
  ],
};

/** Idempotent. */
export function listSession(db: SqlDatabase, { organizationId, startedAt, sessionHash }: ListedSession): void {
  db.run(
    "INSERT INTO listed_sessions (organization_id, started_at, session_hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    organizationId,
    startedAt,
    sessionHash,
  );
}

/** Idempotent. */
export function unlistSession(db: SqlDatabase, { organizationId, startedAt, sessionHash }: ListedSession): void {
  db.run(
    "DELETE FROM listed_sessions WHERE organization_id = ? AND started_at = ? AND session_hash = ?",
    organizationId,
    startedAt,
    sessionHash,
  );
}

/** Newest first. */
export function listedSessions(db: SqlDatabase, organizationId: string, page: PageRequest): Page<ListedSession> {
  const { condition, parameters } = afterSession(page.cursor);
  const rows = db.all(
    `SELECT started_at, session_hash FROM listed_sessions WHERE organization_id = ?${condition}
     ORDER BY started_at DESC, session_hash DESC LIMIT ?`,
    organizationId,
    ...parameters,
    page.limit + 1,
  );
  const sessions = rows.map((row) => ({
    organizationId,
    startedAt: Number(row.started_at),
    sessionHash: String(row.session_hash),
  }));
  return pageOf(sessions, page.limit, sessionCursor);
}
