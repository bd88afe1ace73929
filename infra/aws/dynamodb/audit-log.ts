import { PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { addTallies, auditDay } from "../../../lib/audit/sharding.ts";
import type { Clock } from "../../../lib/kernel/clock.ts";
import { smallestUlid } from "../../../lib/kernel/ids.ts";
import {
  type AuditEvent,
  type AuditFilter,
  type AuditLog,
  type AuditPage,
  type AuditPageRequest,
  type AuditTally,
  type AuditTallyRequest,
  mentions,
} from "../../../lib/stores/audit-log.ts";
import type { PageRequest, Total } from "../../../lib/stores/paging.ts";
import { keptAuditCounts } from "./audit-counts.ts";
import { AUDIT_SHARDS, type AuditWriter, auditDaysPartition, auditEventKey, auditPartition } from "./audit-writer.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toAttribute } from "./items.ts";
import { decodeCursor, encodeCursor, readRange } from "./reads.ts";
import { conditional } from "./writes.ts";

/**
 * The audit log in its own table. Records that wait for their completion carry `open`.
 *
 * @param retention how long records are kept, milliseconds; absent: for good
 */
export function dynamoAuditLog(database: Database, audit: AuditWriter, clock: Clock, retention?: number): AuditLog {
  return {
    begin: (event) => putOnce(database, audit, event, { ...event, outcome: "unknown", open: true }),
    append: (event) => putOnce(database, audit, event, event),
    complete: (event, completion) => complete(database, event, completion),
    query: (filter, page) => queryAuditLog(database, filter, page),
    tally: async (request) => {
      const tally = await tallyAuditLog(database, request);
      const oldest = retention === undefined ? 0 : clock.now() - retention;
      if (oldest <= request.from) return tally;
      return { ...tally, complete: false, countedFrom: Math.max(oldest, tally.countedFrom ?? 0) };
    },
    kept: (request) => keptAuditCounts(database, request, auditDay(clock.now() - (retention ?? 0))),
  };
}

async function putOnce(database: Database, audit: AuditWriter, event: AuditEvent, record: object): Promise<void> {
  await audit.noteDay(event);
  await conditional(database, () =>
    database.client.send(
      new PutItemCommand({
        TableName: database.tables.audit,
        Item: audit.item(event, record),
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    ),
  );
}

async function complete(
  database: Database,
  event: Parameters<AuditLog["complete"]>[0],
  completion: Parameters<AuditLog["complete"]>[1],
): Promise<void> {
  const { outcome, reason, durationMs, details = {} } = completion;
  const own = Object.entries({ outcome, reason, durationMs }).filter(([, value]) => value !== undefined);
  const fields: readonly (readonly [path: string, value: unknown])[] = [
    ...own,
    ...Object.entries(details).map(([name, value]) => [`details.${name}`, value] as const),
  ];
  const names = new Set(["open", ...fields.flatMap(([path]) => path.split("."))]);
  const nameOf = (path: string) => `#${path.replace(".", ".#")}`;
  const placeholderOf = (path: string) => `:${path.replace(".", "_")}`;
  await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.audit,
        Key: keyAttributes(auditEventKey(event)),
        UpdateExpression: `SET ${fields.map(([path]) => `${nameOf(path)} = ${placeholderOf(path)}`).join(", ")} REMOVE #open`,
        ConditionExpression: "attribute_exists(#open)",
        ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          fields.map(([path, value]) => [placeholderOf(path), toAttribute(value)]),
        ),
      }),
    ),
  );
}

/** Records one query looks at; a filter that matches few of many gets short pages with a cursor instead of a long wait. */
const MAX_EXAMINED = 10_000;
const PAGE_SIZE = 100;
/** Day and id of the last record shown. */
const POSITION = /^\d{4}-\d\d-\d\d [0-9A-Za-z]{1,64}$/;

/** Newest first: days from the last to the first, within a day its shards merged by ULID. */
async function queryAuditLog(database: Database, filter: AuditFilter, request: AuditPageRequest): Promise<AuditPage> {
  if (request.withTotal !== true || request.cursor !== undefined) return readPage(database, filter, request);
  const [page, counted] = await Promise.all([readPage(database, filter, request), countNewest(database, filter)]);
  const { length } = page.items;
  if (page.nextCursor === undefined) return { ...page, total: { count: length, isExact: true } };
  return { ...page, total: { ...counted, count: Math.max(length, counted.count) } };
}

async function readPage(database: Database, filter: AuditFilter, page: PageRequest): Promise<AuditPage> {
  const items: AuditEvent[] = [];
  let examined = 0;
  let last: string | undefined;
  let searchedTo = 0;
  for await (const event of newestFirst(database, filter, page.cursor)) {
    if (event.time < (filter.from ?? 0)) break;
    if (items.length === page.limit || examined === MAX_EXAMINED)
      return { items, ...(last && { nextCursor: last }), ...(items.length < page.limit && { searchedTo }) };
    if (matches(filter, event)) items.push(event);
    last = encodeCursor(`${auditDay(event.time)} ${event.id}`);
    searchedTo = event.time;
    examined++;
  }
  return { items };
}

/** Each hundred of them is a read of its own. */
const MAX_COUNTED = 1_000;

/** How many of the newest records of the time match. */
async function countNewest(database: Database, filter: AuditFilter): Promise<Total> {
  let count = 0;
  let examined = 0;
  for await (const event of newestFirst(database, filter, undefined)) {
    if (event.time < (filter.from ?? 0)) break;
    if (examined++ === MAX_COUNTED) return { count, isExact: false };
    if (matches(filter, event)) count++;
  }
  return { count, isExact: true };
}

export async function* newestFirst(
  database: Database,
  filter: AuditFilter,
  cursor: string | undefined,
): AsyncGenerator<AuditEvent, undefined> {
  const [startDay, startId] = decodeCursor(cursor, POSITION)?.split(" ") ?? endOf(filter);
  for await (const day of daysNewestFirst(database, filter, startDay)) {
    yield* mergeShards(
      Array.from({ length: AUDIT_SHARDS }, (_, shard) =>
        readShard(database, auditPartition(filter.organizationId, day, shard), day === startDay ? startId : undefined),
      ),
    );
  }
  return undefined;
}

/** Day and id that all records before the end of the time are before. An id begins with its record's time. */
function endOf({ to }: AuditFilter): readonly string[] {
  if (to === undefined) return [];
  const time = Math.min(to, LAST_ULID_TIME);
  return [auditDay(time), smallestUlid(Math.max(0, Math.trunc(time)))];
}

/** ULIDs hold 48 bits of milliseconds. */
const LAST_ULID_TIME = 2 ** 48 - 1;

async function* daysNewestFirst(
  database: Database,
  filter: AuditFilter,
  startDay: string | undefined,
): AsyncGenerator<string, undefined> {
  const partition = auditDaysPartition(filter.organizationId);
  const first = filter.from === undefined ? "" : auditDay(filter.from);
  const end = filter.to === undefined ? "9999-12-31" : auditDay(filter.to);
  const newest = startDay !== undefined && startDay < end ? startDay : end;
  for await (const item of readRange(database, {
    table: "audit",
    partition,
    direction: "descending",
    pageSize: PAGE_SIZE,
  })) {
    const day = item.sk?.S as string;
    if (day < first) return undefined;
    if (day <= newest) yield day;
  }
  return undefined;
}

async function* readShard(
  database: Database,
  partition: string,
  after: string | undefined,
): AsyncGenerator<AuditEvent, undefined> {
  const range = { table: "audit", partition, direction: "descending", pageSize: PAGE_SIZE } as const;
  for await (const item of readRange(database, { ...range, ...(after !== undefined && { after }) })) {
    const { open: _, ...event } = fromItem<AuditEvent & { readonly open?: boolean }>(item);
    yield event;
  }
  return undefined;
}

/** Merges sequences that are sorted by descending id into one. */
async function* mergeShards(
  shards: readonly AsyncGenerator<AuditEvent, undefined>[],
): AsyncGenerator<AuditEvent, undefined> {
  const heads = await Promise.all(shards.map((shard) => shard.next()));
  for (;;) {
    let newest = -1;
    for (const [index, head] of heads.entries()) {
      if (head.done) continue;
      const other = heads[newest];
      if (other === undefined || other.done || head.value.id > other.value.id) newest = index;
    }
    const head = heads[newest];
    if (head === undefined || head.done) return undefined;
    yield head.value;
    heads[newest] = await (shards[newest] as AsyncGenerator<AuditEvent, undefined>).next();
  }
}

function matches(filter: AuditFilter, event: AuditEvent): boolean {
  return (
    (filter.type === undefined || event.type === filter.type) &&
    (filter.actor === undefined || event.actor === filter.actor) &&
    (filter.agent === undefined || event.agent === filter.agent) &&
    (filter.user === undefined || event.user === filter.user) &&
    (filter.tool === undefined || event.tool === filter.tool) &&
    (filter.outcome === undefined || event.outcome === filter.outcome) &&
    (filter.requestId === undefined || event.requestId === filter.requestId) &&
    (filter.q === undefined || mentions(event, filter.q)) &&
    (filter.from === undefined || event.time >= filter.from) &&
    (filter.to === undefined || event.time < filter.to)
  );
}

/** Each hundred of them is a read of its own. */
const MAX_TALLIED = 3_000;

/**
 * Counts the newest records of the time, up to as many: no sums are kept here, as each would cost every call another write
 * (D268). It says since when all are counted.
 */
async function tallyAuditLog(database: Database, request: AuditTallyRequest): Promise<AuditTally> {
  const { organizationId, types, from, to, interval } = request;
  const single: AuditTally[] = [];
  let examined = 0;
  let last = to;
  const wanted: ReadonlySet<string> = new Set(types);
  for await (const event of newestFirst(database, { organizationId, from, to }, undefined)) {
    const { time, type, outcome } = event;
    if (time < from) break;
    if (examined++ === MAX_TALLIED) return { ...addTallies(single), complete: false, countedFrom: last + 1 };
    last = time;
    if (time >= to || outcome === "unknown" || !wanted.has(type)) continue;
    const start = from + Math.floor((time - from) / interval) * interval;
    single.push(tallyOf(event, start));
  }
  return addTallies(single);
}

function tallyOf(event: AuditEvent, start: number): AuditTally {
  const { type, outcome, app, tool, reason, details, durationMs, count = 1 } = event;
  const agreed = { type, outcome, ...(app !== undefined && { app }) };
  const kind = {
    ...agreed,
    ...(tool !== undefined && { tool }),
    ...(reason !== undefined && { reason }),
    ...(details?.limit !== undefined && { limit: details.limit }),
    count,
    ...{ timed: durationMs === undefined ? 0 : 1, durationMs: durationMs ?? 0, longestMs: durationMs ?? 0 },
  };
  return { counts: [{ start, ...agreed, count }], kinds: [kind], complete: true };
}
