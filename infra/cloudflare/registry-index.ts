import type { AuditCountRequest, AuditDayCount } from "../../lib/stores/audit-log.ts";
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
    {
      // Shards that are too old, and what is left of those that were deleted (D158).
      version: 2,
      statements: [
        "CREATE INDEX audit_shards_by_day ON audit_shards (day)",
        `CREATE TABLE audit_shard_counts (
          organization_id TEXT NOT NULL,
          day TEXT NOT NULL,
          shard INTEGER NOT NULL,
          type TEXT NOT NULL,
          outcome TEXT NOT NULL,
          count INTEGER NOT NULL,
          PRIMARY KEY (organization_id, day, shard, type, outcome)
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

/** Some of the shards from before a day. */
export function auditShardsBefore(db: SqlDatabase, day: string, limit: number): readonly AuditShardKey[] {
  const rows = db.all(
    "SELECT organization_id, day, shard FROM audit_shards WHERE day < ? ORDER BY day LIMIT ?",
    day,
    limit,
  );
  return rows.map((row) => ({
    organizationId: String(row.organization_id),
    day: String(row.day),
    shard: Number(row.shard),
  }));
}

/** Keeps how many records of each type and outcome a shard has; again after a failure, before they are deleted. */
export function keepAuditCounts(
  db: SqlDatabase,
  { organizationId, day, shard }: AuditShardKey,
  counts: readonly Pick<AuditDayCount, "type" | "outcome" | "count">[],
): void {
  for (const { type, outcome, count } of counts)
    db.run(
      `INSERT INTO audit_shard_counts (organization_id, day, shard, type, outcome, count) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (organization_id, day, shard, type, outcome) DO UPDATE SET count = excluded.count`,
      ...[organizationId, day, shard, type, outcome, count],
    );
}

export function unlistAuditShard(db: SqlDatabase, { organizationId, day, shard }: AuditShardKey): void {
  const key = [organizationId, day, shard];
  db.run("DELETE FROM audit_shards WHERE organization_id = ? AND day = ? AND shard = ?", ...key);
}

/** What is left of deleted records, in order of days. */
export function keptAuditCounts(
  db: SqlDatabase,
  { organizationId, from, to }: AuditCountRequest,
): readonly AuditDayCount[] {
  const rows = db.all(
    `SELECT day, type, outcome, SUM(count) AS count FROM audit_shard_counts
     WHERE organization_id = ? AND day >= ? AND day <= ? GROUP BY day, type, outcome ORDER BY day, type, outcome`,
    ...[organizationId ?? "", from, to],
  );
  return rows.map(({ day, type, outcome, count }) => ({
    day: String(day),
    type: type as AuditDayCount["type"],
    outcome: outcome as AuditDayCount["outcome"],
    count: Number(count),
  }));
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
