import { DeleteItemCommand, type TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { type ApprovalRecord, approvalAt, approvalExpired } from "../../../lib/stores/approvals.ts";
import { EXPIRY_MARGIN } from "../../../lib/stores/expiry-margin.ts";
import { changed, putDue, readApproval } from "./approvals.ts";
import type { AuditWriter } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes } from "./items.ts";
import { approvalsDuePartition, type ItemKey, positionAt } from "./keys.ts";
import { readRange } from "./reads.ts";
import { transact } from "./writes.ts";

/** Approvals that one sweep looks at. */
const SWEEP_SIZE = 25;

/** Ends some approvals that were live until before the margin, with the records of their expiry. True when there may be more. */
export async function sweepApprovals(database: Database, audit: AuditWriter, now: number): Promise<boolean> {
  const before = Math.max(now - EXPIRY_MARGIN, 0);
  const end = positionAt(before + 1);
  const range = {
    table: "records",
    partition: approvalsDuePartition,
    direction: "ascending",
    pageSize: SWEEP_SIZE,
  } as const;
  let looked = 0;
  for await (const item of readRange(database, range)) {
    const position = item.sk?.S as string;
    if (position >= end) return false;
    const { approvalId } = fromItem<{ readonly approvalId: string }>(item);
    await settle(database, audit, approvalId, { pk: approvalsDuePartition, sk: position }, before);
    if (++looked === SWEEP_SIZE) return true;
  }
  return false;
}

async function settle(
  database: Database,
  audit: AuditWriter,
  approvalId: string,
  due: ItemKey,
  before: number,
): Promise<void> {
  const record = await readApproval(database, approvalId);
  const Key = keyAttributes(due);
  const TableName = database.tables.records;
  const gone: TransactWriteItem = { Delete: { TableName, Key } };
  if (record?.state === "pending" || record?.state === "approved") {
    const isOver = record.expiresAt <= before;
    // One that was approved lives longer than it waited.
    if (!isOver) return void (await transact(database, { gone, next: putDue(database, record) }));
    const event = await audit.write(approvalExpired(record));
    // Where somebody has decided or called meanwhile, the next sweep looks at it again.
    const end = (one: ApprovalRecord) => (one.state === record.state ? approvalAt(one, before) : undefined);
    await changed(database, approvalId, end, { event, gone });
    return;
  }
  await database.client.send(new DeleteItemCommand({ TableName, Key }));
}
