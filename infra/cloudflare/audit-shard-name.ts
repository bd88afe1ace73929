import type { AuditEvent } from "../../lib/stores/audit-log.ts";

/** Objects that an organization's records of one day are spread over. */
export const AUDIT_SHARDS_A_DAY = 4;

/** What names an audit shard. */
export interface AuditShardKey {
  /** Empty for instance-wide records. */
  readonly organizationId: string;
  /** Of the event's time, `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** 0 to `AUDIT_SHARDS_A_DAY` - 1. */
  readonly shard: number;
}

/** The shard that holds a record; its completion finds the same one. */
export function auditShardOfEvent(event: Pick<AuditEvent, "id" | "time" | "organizationId">): AuditShardKey {
  return {
    organizationId: event.organizationId ?? "",
    day: dayOf(event.time),
    shard: (event.id.codePointAt(event.id.length - 1) ?? 0) % AUDIT_SHARDS_A_DAY,
  };
}

/** `<organization>#<day>#<n>` (`storage.md`). */
export function auditShardName({ organizationId, day, shard }: AuditShardKey): string {
  return `${organizationId}#${day}#${shard}`;
}

/** `YYYY-MM-DD` in UTC. Times before 1970 or after 9999 count as the nearest day in between, so that days sort as texts. */
export function dayOf(time: number): string {
  return new Date(Math.min(Math.max(time, 0), LAST_TIME)).toISOString().slice(0, 10);
}

const LAST_TIME = Date.UTC(9999, 11, 31);
