import { PutItemCommand, type TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { auditDay, auditShard } from "../../../lib/audit/sharding.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Database } from "./database.ts";
import { type Item, toItem } from "./items.ts";
import { auditDayDueKey, type ItemKey } from "./keys.ts";
import { conditional } from "./writes.ts";

/** Prepares writes of audit events for transactions. */
export interface AuditWriter {
  /** The write of one event, after making sure that queries will look at its day. */
  write(event: AuditEvent): Promise<TransactWriteItem>;
  /** Only the making sure. */
  noteDay(event: Pick<AuditEvent, "organizationId" | "time">): Promise<void>;
  /** The item of an event. DynamoDB deletes it when it is older than records are kept (D158). */
  item(event: AuditEvent, record: object): Item;
}

const MAX_NOTED_DAYS = 10_000;
/** Milliseconds: a day is counted before its records go, and stays listed until they are gone. */
const LEAST = 172_800_000;
const MARGIN = 604_800_000;

/**
 * Queries walk the days that have records, from an item per organization and day. Each instance writes that item once,
 * before the day's first record, outside of transactions: inside, every record would conflict over it.
 *
 * @param retention how long records are kept, milliseconds; absent: for good
 */
export function createAuditWriter(database: Database, retention?: number): AuditWriter {
  const kept = retention && Math.max(retention, LEAST);
  const expiry = (time: number): number | undefined => (kept === undefined ? undefined : time + kept);
  const item: AuditWriter["item"] = (event, record) => toItem(auditEventKey(event), record, expiry(event.time));
  const noted = new Set<string>();
  const noteDay: AuditWriter["noteDay"] = async (event) => {
    const key = auditDayKey(event.organizationId, auditDay(event.time));
    const name = `${key.pk}#${key.sk}`;
    if (noted.has(name)) return;
    const day = toItem(key, {}, expiry(event.time + MARGIN));
    await database.client.send(new PutItemCommand({ TableName: database.tables.audit, Item: day }));
    if (retention !== undefined) await noteDueDay(database, event.organizationId, auditDay(event.time));
    if (noted.size >= MAX_NOTED_DAYS) noted.clear();
    noted.add(name);
  };
  return {
    noteDay,
    item,
    async write(event) {
      await noteDay(event);
      return { Put: { TableName: database.tables.audit, Item: item(event, event) } };
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

/**
 * DynamoDB deletes records that are too old by itself, and tells nobody. So each day of an organization is counted once it is
 * over, some records at a time; where the count stands lies with the day's entry among the due ones (D158).
 */
export interface DueDay {
  readonly organizationId?: string;
  readonly day: string;
  /** Counts the changes of this entry: of two instances that count at once, one goes on. */
  readonly revision: number;
  readonly shard: number;
  /** The id of the last record counted in this shard. */
  readonly after?: string;
  /** By type and outcome, `tool.invoked success`. */
  readonly counts: Readonly<Record<string, number>>;
}

export function dueItem(due: DueDay): Item {
  return toItem(auditDayDueKey(due.organizationId, due.day), due);
}

/** Makes sure that a day will be counted. Repeating it changes nothing before the count begins. */
async function noteDueDay(database: Database, organizationId: string | undefined, day: string): Promise<void> {
  const due: DueDay = {
    ...(organizationId !== undefined && { organizationId }),
    day,
    revision: 0,
    shard: 0,
    counts: {},
  };
  await conditional(database, () =>
    database.client.send(
      new PutItemCommand({
        TableName: database.tables.sessions,
        Item: dueItem(due),
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    ),
  );
}
