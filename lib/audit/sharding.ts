import { type AuditIntervalCount, type AuditKindSum, type AuditTally, MAX_AUDIT_KINDS } from "../stores/audit-log.ts";

/** The UTC day of a time in milliseconds, `2026-11-20`. A time outside that format becomes the nearest one inside it. */
export function auditDay(time: number): string {
  return new Date(Math.min(Math.max(time, 0), LAST_TIME)).toISOString().slice(0, 10);
}

/**
 * The shard, 0 to `shards` - 1, of the record with this id, from the random end of its ULID. A record begins and is completed
 * in the same shard.
 */
export function auditShard(id: string, shards: number): number {
  return (id.codePointAt(id.length - 1) ?? 0) % shards;
}

/** Tallies of different records as one, in order of time. Complete since all are. */
export function addTallies(tallies: readonly AuditTally[]): AuditTally {
  const counts = new Map<string, AuditIntervalCount>();
  const kinds = new Map<string, AuditKindSum>();
  for (const count of tallies.flatMap((tally) => tally.counts)) {
    const key = JSON.stringify([count.start, count.type, count.outcome, count.app]);
    counts.set(key, { ...count, count: count.count + (counts.get(key)?.count ?? 0) });
  }
  // A shard that still runs the former release knows of no kinds.
  for (const kind of tallies.flatMap((tally) => tally.kinds ?? [])) {
    const key = JSON.stringify([kind.type, kind.outcome, kind.app, kind.tool, kind.reason, kind.limit]);
    const other = kinds.get(key);
    kinds.set(key, other === undefined ? kind : sumOf(kind, other));
  }
  const starts = tallies.flatMap(({ countedFrom }) => countedFrom ?? []);
  return {
    counts: [...counts.values()].sort((one, other) => one.start - other.start),
    kinds: [...kinds.values()].sort((one, other) => other.count - one.count).slice(0, MAX_AUDIT_KINDS),
    complete: tallies.every(({ complete }) => complete),
    ...(starts.length > 0 && { countedFrom: Math.max(...starts) }),
  };
}

function sumOf(one: AuditKindSum, other: AuditKindSum): AuditKindSum {
  return {
    ...one,
    count: one.count + other.count,
    timed: one.timed + other.timed,
    durationMs: one.durationMs + other.durationMs,
    longestMs: Math.max(one.longestMs, other.longestMs),
  };
}

const LAST_TIME = Date.UTC(9999, 11, 31);
