import { smallestUlid } from "../../kernel/ids.ts";
import type { AuditCountRequest, AuditDayCount, AuditEventType, AuditOutcome } from "../audit-log.ts";
import type { SqlDatabase } from "./database.ts";

/**
 * Deletes at most `limit` of the audit records from before a time, the oldest first, and keeps how many there were on each day
 * (D158). Answers how many it deleted. Ids begin with the time, so that no index is needed and neighbours lie on the same pages.
 */
export function expireAuditEvents(db: SqlDatabase, before: number, limit: number): number {
  if (before <= 0) return 0;
  const rows = db.all(
    `DELETE FROM audit_events WHERE id IN (SELECT id FROM audit_events WHERE id < ? ORDER BY id LIMIT ?)
     RETURNING organization_id, strftime('%Y-%m-%d', time / 1000, 'unixepoch') AS day, type, outcome, count`,
    smallestUlid(before),
    limit,
  );
  const sums = new Map<string, KeptCount>();
  for (const row of rows) {
    const kept = keptCount(row);
    const key = JSON.stringify([kept.organizationId, kept.day, kept.type, kept.outcome]);
    sums.set(key, { ...kept, count: kept.count + (sums.get(key)?.count ?? 0) });
  }
  for (const { organizationId, day, type, outcome, count } of sums.values())
    db.run(
      `INSERT INTO audit_counts (organization_id, day, type, outcome, count) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (organization_id, day, type, outcome) DO UPDATE SET count = count + excluded.count`,
      ...[organizationId, day, type, outcome, count],
    );
  return rows.length;
}

/** What is left of records that were deleted, in order of days. */
export function keptAuditCounts(
  db: SqlDatabase,
  { organizationId, from, to }: AuditCountRequest,
): readonly AuditDayCount[] {
  const rows = db.all(
    `SELECT organization_id, day, type, outcome, count FROM audit_counts
     WHERE organization_id = ? AND day >= ? AND day <= ? ORDER BY day, type, outcome`,
    ...[organizationId ?? "", from, to],
  );
  return rows.map(keptCount).map(({ organizationId: _, ...count }) => count);
}

interface KeptCount extends AuditDayCount {
  readonly organizationId: string;
}

function keptCount(row: ReturnType<SqlDatabase["all"]>[number]): KeptCount {
  return {
    organizationId: String(row.organization_id),
    day: String(row.day),
    type: row.type as AuditEventType,
    outcome: row.outcome as AuditOutcome,
    count: Number(row.count),
  };
}
