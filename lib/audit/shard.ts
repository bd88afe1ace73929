/** The UTC day of a time in milliseconds, `2026-11-20`. Times that no such text has count as the nearest that has one. */
export function auditDay(time: number): string {
  return new Date(Math.min(Math.max(time, 0), LAST_TIME)).toISOString().slice(0, 10);
}

/**
 * The share, 0 to `shards` - 1, that a record of this id belongs to: from the random end of its ULID. Beginning and
 * completing a record both come here, so that they meet.
 */
export function auditShard(id: string, shards: number): number {
  return (id.codePointAt(id.length - 1) ?? 0) % shards;
}

const LAST_TIME = Date.UTC(9999, 11, 31);
