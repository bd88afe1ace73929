import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import {
  type ApprovalDecision,
  type ApprovalFilter,
  type ApprovalRecord,
  type Approvals,
  type ApprovalUse,
  approvalAt,
  approvalCaller,
  consumed,
  decided,
  forgottenAt,
  isLive,
  listedApproval,
  MOST_LIVE,
  MOST_OF_CALLER,
  placeInId,
  type RequestedApproval,
  withdrawn,
  withOutcome,
} from "../../../lib/stores/approvals.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { type Page, type PageRequest, pageOf } from "../../../lib/stores/paging.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { fromItem, toItem } from "./items.ts";
import { approvalDueKey, approvalKey, approvalPartition, liveApprovalsKey } from "./keys.ts";
import { readRange, readRecord } from "./reads.ts";
import { putNew, transact } from "./writes.ts";

/**
 * Calls that people approve, an item each. What is live of an organization stands in one more item, by whose revision changes are
 * ordered: so bounds are kept, and one digest has one live approval. The intent of a call is of the transaction that consumes its approval.
 */
export function dynamoApprovals(database: Database, audit: AuditWriter): Approvals {
  return {
    requestApproval: (record, event) => request(database, audit, record, event),
    approval: async (approvalId, now) => {
      const record = await readApproval(database, approvalId);
      return record && approvalAt(record, now);
    },
    liveApproval: async (organizationId, digest, now) => {
      const { entries } = await readLive(database, organizationId);
      return findLive(database, entries, digest, now);
    },
    listApprovals: (filter, page) => list(database, filter, page),
    decideApproval: (decision, event) => decide(database, audit, decision, event),
    consumeApproval: (use, intent, event) => consume(database, audit, use, intent, event),
    withdrawApproval: async (approvalId, now, event) => {
      const written = await audit.write(event);
      const end = (record: ApprovalRecord) => withdrawn(record, now);
      return (await changed(database, approvalId, end, { event: written })) !== undefined;
    },
    keepOutcome: async (approvalId, outcome, state) => {
      await changed(database, approvalId, (record) => withOutcome(record, outcome, state), {});
    },
  };
}

interface LiveEntry {
  readonly approvalId: string;
  readonly digest: string;
  readonly caller: string;
  readonly state: ApprovalRecord["state"];
  readonly expiresAt: number;
}

interface LiveApprovals {
  /** 0: there is no item. */
  readonly revision: number;
  readonly entries: readonly LiveEntry[];
}

async function request(
  database: Database,
  audit: AuditWriter,
  record: ApprovalRecord,
  event: AuditEvent,
): Promise<RequestedApproval> {
  const { organizationId, digest, requestedAt: now, approvalId } = record;
  const written = await audit.write(event);
  return untilUncontended<RequestedApproval>(database.random, async () => {
    const live = await readLive(database, organizationId);
    const found = await findLive(database, live.entries, digest, now);
    if (found !== undefined) return { outcome: "waits", approval: found, isNew: found.approvalId === approvalId };
    const entries = live.entries.filter((entry) => isLive(entry, now));
    const caller = approvalCaller(record);
    const own = entries.filter((entry) => entry.caller === caller);
    if (own.length >= MOST_OF_CALLER) return { outcome: "too_many", of: "caller" };
    if (entries.length >= MOST_LIVE) return { outcome: "too_many", of: "organization" };
    const failed = await transact(database, {
      record: putNew(database, keyOf(approvalId), itemOf(record)),
      live: putLive(database, organizationId, live, [...entries, entryOf(record)]),
      due: putDue(database, record),
      event: written,
    });
    if (failed.size === 0) return { outcome: "waits", approval: record, isNew: true };
    return undefined;
  });
}

async function decide(
  database: Database,
  audit: AuditWriter,
  decision: ApprovalDecision,
  event: AuditEvent,
): Promise<ApprovalRecord | undefined> {
  const written = await audit.write(event);
  return changed(database, decision.approvalId, (record) => decided(record, decision), { event: written });
}

async function consume(
  database: Database,
  audit: AuditWriter,
  use: ApprovalUse,
  intent: AuditEvent,
  event: AuditEvent,
): Promise<boolean> {
  await audit.noteDay(intent);
  const begun: TransactWriteItem = {
    Put: {
      TableName: database.tables.audit,
      Item: audit.item(intent, { ...intent, outcome: "unknown", open: true }),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
  const change = (record: ApprovalRecord) => consumed(record, use, intent.id);
  const writes = { event: await audit.write(event), intent: begun };
  return (await changed(database, use.approvalId, change, writes)) !== undefined;
}

/** Changes a record together with other writes, as long as the change is one; undefined: it is none (any more). */
export async function changed(
  database: Database,
  approvalId: string,
  change: (record: ApprovalRecord) => ApprovalRecord | undefined,
  writes: Readonly<Record<string, TransactWriteItem>>,
): Promise<ApprovalRecord | undefined> {
  const done = await untilUncontended(database.random, async () => {
    const record = await readApproval(database, approvalId);
    const next = record && change(record);
    if (record === undefined || next === undefined) return { record: undefined };
    const live = await readLive(database, record.organizationId);
    const others = live.entries.filter((entry) => entry.approvalId !== approvalId);
    const isListed = next.state === "approved" || next.state === "refused";
    const failed = await transact(database, {
      ...writes,
      record: putChanged(database, record, next),
      live: putLive(database, record.organizationId, live, isListed ? [...others, entryOf(next)] : others),
    });
    if (failed.size === 0) return { record: next };
    return undefined;
  });
  return done.record;
}

/** Records that one page looks at. */
const MOST_EXAMINED = 1_000;
const PAGE_SIZE = 100;

async function list(
  database: Database,
  { organizationId, state, now }: ApprovalFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ApprovalRecord>> {
  const found: ApprovalRecord[] = [];
  const partition = approvalPartition(organizationId);
  const range = { table: "records", partition, direction: "descending", pageSize: PAGE_SIZE } as const;
  let examined = 0;
  for await (const item of readRange(database, { ...range, ...(cursor && { after: cursor }) })) {
    const record = listedApproval(approvalAt(recordOf(fromItem<ApprovalItem>(item)), now));
    const isWanted = record.organizationId === organizationId && (state === undefined || record.state === state);
    if (isWanted) found.push(record);
    if (found.length > limit) break;
    if (++examined === MOST_EXAMINED) return { items: found, nextCursor: record.approvalId };
  }
  return pageOf(found, limit, ({ approvalId }) => approvalId);
}

/** The record is one text: nothing else looks into it. */
interface ApprovalItem {
  readonly record: string;
  readonly standing: ApprovalRecord["state"];
}

function itemOf(record: ApprovalRecord): ApprovalItem {
  return { record: JSON.stringify(record), standing: record.state };
}

function recordOf({ record }: ApprovalItem): ApprovalRecord {
  return JSON.parse(record) as ApprovalRecord;
}

export async function readApproval(database: Database, approvalId: string): Promise<ApprovalRecord | undefined> {
  if (placeInId(approvalId) === undefined) return undefined;
  const item = await readRecord<ApprovalItem>(database, "records", keyOf(approvalId));
  return item && recordOf(item);
}

async function readLive(database: Database, organizationId: string): Promise<LiveApprovals> {
  const item = await readRecord<{ readonly revision: number; readonly entries: string }>(
    database,
    "records",
    liveApprovalsKey(organizationId),
  );
  if (item === undefined) return { revision: 0, entries: [] };
  return { revision: item.revision, entries: JSON.parse(item.entries) as readonly LiveEntry[] };
}

async function findLive(
  database: Database,
  entries: readonly LiveEntry[],
  digest: string,
  now: number,
): Promise<ApprovalRecord | undefined> {
  for (const entry of entries) {
    if (entry.digest !== digest || !isLive(entry, now)) continue;
    const record = await readApproval(database, entry.approvalId);
    if (record !== undefined && isLive(record, now)) return record;
  }
  return undefined;
}

function entryOf(record: ApprovalRecord): LiveEntry {
  const { approvalId, digest, state, expiresAt } = record;
  return { approvalId, digest, state, expiresAt, caller: approvalCaller(record) };
}

function putLive(
  database: Database,
  organizationId: string,
  { revision }: LiveApprovals,
  entries: readonly LiveEntry[],
): TransactWriteItem {
  const item = { revision: revision + 1, entries: JSON.stringify(entries) };
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(liveApprovalsKey(organizationId), item),
      ...(revision === 0
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : {
            ConditionExpression: "revision = :expected",
            ExpressionAttributeValues: { ":expected": { N: String(revision) } },
          }),
    },
  };
}

/** One that has ended goes by itself some time later. */
function putChanged(database: Database, record: ApprovalRecord, next: ApprovalRecord): TransactWriteItem {
  const isOver = next.state !== "pending" && next.state !== "approved";
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(keyOf(next.approvalId), itemOf(next), isOver ? forgottenAt(next) : undefined),
      ConditionExpression: "standing = :before",
      ExpressionAttributeValues: { ":before": { S: record.state } },
    },
  };
}

/** An entry by which the sweep finds an approval once it could be over. */
export function putDue(database: Database, { approvalId, expiresAt }: ApprovalRecord): TransactWriteItem {
  const key = approvalDueKey(expiresAt, approvalId);
  return { Put: { TableName: database.tables.records, Item: toItem(key, { approvalId }) } };
}

function keyOf(approvalId: string) {
  return approvalKey(placeInId(approvalId) ?? 0, approvalId);
}
