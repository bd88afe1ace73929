import { auditDay, auditShard } from "../../lib/audit/sharding.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";

/** Objects that an organization's records of one day are spread over. */
const AUDIT_SHARDS_A_DAY = 4;

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
    day: auditDay(event.time),
    shard: auditShard(event.id, AUDIT_SHARDS_A_DAY),
  };
}

/** `<organization>#<day>#<n>`. */
export function auditShardName({ organizationId, day, shard }: AuditShardKey): string {
  return `${organizationId}#${day}#${shard}`;
}
