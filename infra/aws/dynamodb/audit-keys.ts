import { auditDay, auditShard } from "../../../lib/audit/shard.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { ItemKey } from "./keys.ts";

/** Partitions a day of one organization is spread over, so that a busy one is not bound to what one partition takes. */
export const AUDIT_SHARDS = 4;

/** Records lie in `<organization>#<day>#<shard>`, sorted by their ULID. */
export function auditEventKey(event: Pick<AuditEvent, "id" | "time" | "organizationId">): ItemKey {
  const shard = auditShard(event.id, AUDIT_SHARDS);
  return { pk: auditPartition(event.organizationId, auditDay(event.time), shard), sk: event.id };
}

export function auditPartition(organizationId: string | undefined, day: string, shard: number): string {
  return `${owner(organizationId)}#${day}#${shard}`;
}

/** Marks a day that has records. */
export function auditDayKey(organizationId: string | undefined, day: string): ItemKey {
  return { pk: auditDaysPartition(organizationId), sk: day };
}

export function auditDaysPartition(organizationId: string | undefined): string {
  return `${owner(organizationId)}#days`;
}

/** Instance-wide records belong to no organization (D32). */
function owner(organizationId: string | undefined): string {
  return organizationId ?? "instance";
}
