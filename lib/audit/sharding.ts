import type { AuditTally } from "../stores/audit-log.ts";

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

/** Tallies of different records as one, in order of time. Complete when all are. */
export function addTallies(tallies: readonly AuditTally[]): AuditTally {
  const sums = new Map<string, Count>();
  for (const count of tallies.flatMap(({ counts }) => counts)) {
    const key = `${count.start} ${count.type} ${count.outcome}`;
    sums.set(key, { ...count, count: count.count + (sums.get(key)?.count ?? 0) });
  }
  const counts = [...sums.values()].sort((one, other) => one.start - other.start);
  return { counts, complete: tallies.every(({ complete }) => complete) };
}

const LAST_TIME = Date.UTC(9999, 11, 31);

type Count = AuditTally["counts"][number];
