import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { auditDay } from "../../../lib/audit/sharding.ts";
import type { AuditCountRequest, AuditDayCount, AuditEvent } from "../../../lib/stores/audit-log.ts";
import { AUDIT_SHARDS, auditPartition, type DueDay, dueItem } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import { auditCountsKey, auditCountsPartition, auditDayDueKey, auditDaysDuePartition } from "./keys.ts";
import { readRange } from "./reads.ts";
import { conditional } from "./writes.ts";

/** Records that one sweep counts. */
const SWEEP_SIZE = 1_000;
/** How long a day is over before it is counted, milliseconds: some instance may still write to it. */
const SETTLED = 3_600_000;

/** Counts some records of a day that is over. True when there may be more. */
export async function sweepAuditCounts(database: Database, now: number): Promise<boolean> {
  const range = { table: "sessions", partition: auditDaysDuePartition, direction: "ascending", pageSize: 1 } as const;
  for await (const item of readRange(database, range)) {
    const due = fromItem<DueDay>(item);
    if (due.day >= auditDay(now - SETTLED)) return false;
    await countSome(database, due);
    return true;
  }
  return false;
}

async function countSome(database: Database, due: DueDay): Promise<void> {
  const { organizationId, day, shard, after, revision } = due;
  const counts = new Map(Object.entries(due.counts));
  let last = after;
  let read = 0;
  const range = {
    ...({ table: "audit", partition: auditPartition(organizationId, day, shard) } as const),
    ...({ direction: "ascending", pageSize: SWEEP_SIZE } as const),
    ...(after !== undefined && { after }),
  };
  for await (const item of readRange(database, range)) {
    const { id, type, outcome, count = 1 } = fromItem<AuditEvent>(item);
    const name = `${type} ${outcome}`;
    counts.set(name, (counts.get(name) ?? 0) + count);
    last = id;
    if (++read === SWEEP_SIZE) break;
  }
  const counted = { ...due, revision: revision + 1, counts: Object.fromEntries(counts) };
  if (read === SWEEP_SIZE && last !== undefined) return advance(database, due, { ...counted, after: last });
  if (shard + 1 < AUDIT_SHARDS) {
    const { after: _, ...next } = counted;
    return advance(database, due, { ...next, shard: shard + 1 });
  }
  const kept = toItem(auditCountsKey(organizationId, day), { counts: counted.counts });
  await database.client.send(new PutItemCommand({ TableName: database.tables.audit, Item: kept }));
  const Key = keyAttributes(auditDayDueKey(organizationId, day));
  await database.client.send(new DeleteItemCommand({ TableName: database.tables.sessions, Key }));
}

async function advance(database: Database, { revision }: DueDay, next: DueDay): Promise<void> {
  await conditional(database, () =>
    database.client.send(
      new PutItemCommand({
        TableName: database.tables.sessions,
        Item: dueItem(next),
        ConditionExpression: "revision = :revision",
        ExpressionAttributeValues: { ":revision": { N: String(revision) } },
      }),
    ),
  );
}

/**
 * What is left of records that were deleted.
 *
 * @param end the first day whose records are not too old yet
 */
export async function keptAuditCounts(
  database: Database,
  { organizationId, from, to }: AuditCountRequest,
  end: string,
): Promise<readonly AuditDayCount[]> {
  const partition = auditCountsPartition(organizationId);
  const kept: AuditDayCount[] = [];
  for await (const item of readRange(database, { table: "audit", partition, direction: "ascending", pageSize: 100 })) {
    const day = item.sk?.S as string;
    if (day > to || day >= end) break;
    if (day < from) continue;
    const { counts } = fromItem<Pick<DueDay, "counts">>(item);
    for (const name of Object.keys(counts).toSorted()) {
      const [type, outcome] = name.split(" ") as [AuditDayCount["type"], AuditDayCount["outcome"]];
      kept.push({ day, type, outcome, count: counts[name] as number });
    }
  }
  return kept;
}
