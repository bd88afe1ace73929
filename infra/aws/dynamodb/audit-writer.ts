import { PutItemCommand, type TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { auditDay, auditShard } from "../../../lib/audit/sharding.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import type { ItemKey } from "./keys.ts";

/** Prepares writes of audit events for transactions. */
export interface AuditWriter {
  /** The write of one event, after making sure that queries will look at its day. */
  write(event: AuditEvent): Promise<TransactWriteItem>;
  /** Only the making sure. */
  noteDay(event: Pick<AuditEvent, "organizationId" | "time">): Promise<void>;
}

const MAX_NOTED_DAYS = 10_000;

/**
 * Queries walk the days that have records, from an item per organization and day. Each instance writes that item once,
 * before the day's first record, outside of transactions: inside, every record would conflict over it.
 */
export function createAuditWriter(database: Database): AuditWriter {
  const noted = new Set<string>();
  const noteDay: AuditWriter["noteDay"] = async (event) => {
    const key = auditDayKey(event.organizationId, auditDay(event.time));
    const name = `${key.pk}#${key.sk}`;
    if (noted.has(name)) return;
    await database.client.send(new PutItemCommand({ TableName: database.tables.audit, Item: toItem(key, {}) }));
    if (noted.size >= MAX_NOTED_DAYS) noted.clear();
    noted.add(name);
  };
  return {
    noteDay,
    async write(event) {
      await noteDay(event);
      return { Put: { TableName: database.tables.audit, Item: toItem(auditEventKey(event), event) } };
    },
  };
}

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
function auditDayKey(organizationId: string | undefined, day: string): ItemKey {
  return { pk: auditDaysPartition(organizationId), sk: day };
}

export function auditDaysPartition(organizationId: string | undefined): string {
  return `${owner(organizationId)}#days`;
}

/** Instance-wide records belong to no organization (D32). */
function owner(organizationId: string | undefined): string {
  return organizationId ?? "instance";
}
