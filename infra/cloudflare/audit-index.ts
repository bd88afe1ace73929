import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import type { MigrationSet } from "../../lib/stores/sql/migrate.ts";
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
