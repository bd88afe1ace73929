import {
  type AuditEventType,
  type AuditIntervalCount,
  type AuditKindSum,
  type AuditOutcome,
  type AuditTally,
  type AuditTallyRequest,
  MAX_AUDIT_KINDS,
} from "../audit-log.ts";
import type { SqlDatabase, SqlRow, SqlValue } from "./database.ts";

// Triggers of the migration keep the sums (D268): a row for five minutes, organization, type, outcome, app, tool, reason and limit.

/** How many there were, from the sums alone: whatever was recorded, it reads as many rows as there are kinds and intervals. */
export function tallyAuditEvents(db: SqlDatabase, request: AuditTallyRequest): AuditTally {
  const { organizationId, types, from, to, interval } = request;
  const where = `organization_id = ? AND start >= ? AND start < ? AND type IN (${types.map(() => "?").join(", ")})`;
  const parameters: readonly SqlValue[] = [organizationId, from, to, ...types];
  const counts = db.all(
    `SELECT CAST((start - ?) / ? AS INTEGER) AS slot, type, outcome, app, SUM(count) AS count FROM audit_sums
     WHERE ${where} GROUP BY slot, type, outcome, app ORDER BY slot, type, outcome, app`,
    ...[from, interval, ...parameters],
  );
  const kinds = db.all(
    `SELECT type, outcome, app, tool, reason, limit_name, SUM(count) AS count, SUM(timed) AS timed,
       SUM(duration_ms) AS duration_ms, MAX(longest_ms) AS longest_ms FROM audit_sums
     WHERE ${where} GROUP BY type, outcome, app, tool, reason, limit_name ORDER BY count DESC LIMIT ?`,
    ...[...parameters, MAX_AUDIT_KINDS],
  );
  const since = Number(db.all("SELECT time FROM audit_sums_since")[0]?.time ?? 0);
  return {
    counts: counts.map(
      (row): AuditIntervalCount => ({
        start: from + Number(row.slot) * interval,
        ...agreedIn(row),
        count: Number(row.count),
      }),
    ),
    kinds: kinds.map(
      (row): AuditKindSum => ({
        ...agreedIn(row),
        ...(row.tool !== "" && { tool: String(row.tool) }),
        ...(row.reason !== "" && { reason: String(row.reason) }),
        ...(row.limit_name !== "" && { limit: String(row.limit_name) }),
        count: Number(row.count),
        timed: Number(row.timed),
        durationMs: Number(row.duration_ms),
        longestMs: Number(row.longest_ms),
      }),
    ),
    ...(since > from ? { complete: false, countedFrom: since } : { complete: true }),
  };
}

function agreedIn({ type, outcome, app }: SqlRow): Pick<AuditIntervalCount, "type" | "outcome" | "app"> {
  return {
    type: type as AuditEventType,
    outcome: outcome as AuditOutcome,
    ...(app !== "" && { app: String(app) }),
  };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** What sums become part of when they are older, both in milliseconds. Partial indexes have the units in their conditions. */
const FOLDS = [
  { unit: HOUR, after: 2 * HOUR },
  { unit: 6 * HOUR, after: 26 * HOUR },
  { unit: DAY, after: 9 * DAY },
];
const KEPT = 32 * DAY;

/**
 * Makes at most `limit` old sums part of those of their hour, as many of their quarter of a day, as many of their day, and
 * deletes as many that are too old. True when there may be more.
 */
export function foldAuditSums(db: SqlDatabase, now: number, limit: number): boolean {
  const folded = FOLDS.map(({ unit, after }) => fold(db, unit, now - after, limit));
  const deleted = db.all(
    `DELETE FROM audit_sums WHERE ${KEY} IN
       (SELECT ${KEY.slice(1, -1)} FROM audit_sums WHERE start % ${DAY} = 0 AND start < ? ORDER BY start LIMIT ?) RETURNING 1`,
    ...[now - KEPT, limit],
  );
  return [...folded, deleted.length].some((count) => count === limit);
}

const KEY = "(organization_id, start, type, outcome, app, tool, reason, limit_name)";

function fold(db: SqlDatabase, unit: number, before: number, limit: number): number {
  const rows = db.all(
    `DELETE FROM audit_sums WHERE ${KEY} IN
       (SELECT ${KEY.slice(1, -1)} FROM audit_sums WHERE start % ${unit} <> 0 AND start < ? ORDER BY start LIMIT ?)
     RETURNING organization_id, start, type, outcome, app, tool, reason, limit_name, count, timed, duration_ms, longest_ms`,
    ...[before - (before % unit), limit],
  );
  for (const row of rows) {
    const { organization_id, start, type, outcome, app, tool, reason, limit_name, ...numbers } = row;
    const { count, timed, duration_ms, longest_ms } = numbers;
    db.run(
      `INSERT INTO audit_sums
         (organization_id, start, type, outcome, app, tool, reason, limit_name, count, timed, duration_ms, longest_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT ${KEY} DO UPDATE SET count = count + excluded.count, timed = timed + excluded.timed,
         duration_ms = duration_ms + excluded.duration_ms, longest_ms = MAX(longest_ms, excluded.longest_ms)`,
      ...([organization_id, Number(start) - (Number(start) % unit), type, outcome, app, tool, reason] as SqlValue[]),
      ...([limit_name, count, timed, duration_ms, longest_ms] as SqlValue[]),
    );
  }
  return rows.length;
}
