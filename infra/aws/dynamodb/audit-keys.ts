import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { ItemKey } from "./keys.ts";

/** Partitions a day of one organization is spread over, so that a busy one is not bound to what one partition takes. */
export const AUDIT_SHARDS = 4;

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The UTC day of a time in milliseconds, `2026-11-20`. */
export function auditDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Records lie in `<organization>#<day>#<shard>`, sorted by their ULID; the shard follows from the ULID's random end. */
export function auditEventKey(event: Pick<AuditEvent, "id" | "time" | "organizationId">): ItemKey {
  const shard = Math.max(0, CROCKFORD.indexOf(event.id.slice(-1))) % AUDIT_SHARDS;
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
