import { PutItemCommand, QueryCommand, type TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { hex } from "../../../lib/kernel/encoding.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import {
  begun,
  deleted,
  dueAt,
  factsOf,
  postponed,
  rewrapped,
  settled,
  TOLD_AT_ONCE,
  used,
} from "../../../lib/stores/connection-changes.ts";
import type { ConnectionFacts, ConnectionKey, ConnectionRecord, Connections } from "../../../lib/stores/connections.ts";
import type { Page, PageRequest } from "../../../lib/stores/paging.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { fromItem, keyAttributes, toItem } from "./items.ts";
import {
  connectionKey,
  connectionListKey,
  connectionListPartition,
  connectionPartition,
  deletedConnectionKey,
  deletedConnectionsPartition,
  deletedConnectionsUntil,
  type ItemKey,
  sealedConnectionKey,
  sealedConnectionsPartition,
  vaultKeyKey,
  vaultKeysPartition,
} from "./keys.ts";
import { decodeCursor, encodeCursor, readItems, readRange, readRecord } from "./reads.ts";
import { conditional, transact } from "./writes.ts";

/** Items that DynamoDB reads at a time. */
const PAGE_SIZE = 100;
/** Sort keys of the lists. A vault key's name has no space. */
const LISTED = /^[!-~]{1,512}$/;
const SEALED = /^[!-~]{1,256} [!-~]{1,512}$/;

/** The record as the text it is. `nonce` names the write that made it so. */
interface ItemOfConnection {
  readonly record: string;
  readonly nonce: string;
}

/** An entry of a list. */
type Listed = ConnectionKey;

/**
 * People's accounts at providers in the records table: an item each, in one partition for an organization's person, and an entry in
 * the list of its organization, of the key that seals it, and of those that are deleted. The item decides, and a write meets what it
 * read: entries may be late, and are looked up.
 */
export function dynamoConnections(database: Database, audit: AuditWriter): Connections {
  const find = async (key: ConnectionKey) => (await read(database, key))?.record;
  const change = <T>(key: ConnectionKey, decide: Decide<T>, event?: AuditEvent) =>
    changeConnection(database, audit, key, decide, event);
  return {
    connection: find,
    connect: (record, event) => change(record, (former) => ({ next: record, result: former }), event),
    beginRefresh: (intent) =>
      change(intent.key, (found) => {
        const next = begun(found, intent);
        return { next, result: { isBegun: next !== undefined, record: next ?? found } };
      }),
    settleRefresh: (outcome, event) => change(outcome.key, (found) => changedTo(settled(found, outcome)), event),
    noteUse: async (key, connectionId, usedAt) => {
      await change(key, (found) => changedTo(used(found, connectionId, usedAt)));
    },
    disconnect: (key, connectionId, event) =>
      change(
        key,
        (found) => {
          const isThere = found?.connectionId === connectionId && found.state !== "deleted";
          if (!isThere) return { next: undefined, result: undefined };
          return { next: deleted(found, event.time, event.time + TOLD_AT_ONCE), result: found };
        },
        event,
      ),
    hold: async (record) => {
      await change(record, () => changedTo(record));
    },
    takeHeld: (key, connectionId) =>
      change(key, (found) => {
        const isThere = found?.connectionId === connectionId && found.state === "deleted";
        return isThere ? { next: "none", result: found } : { next: undefined, result: undefined };
      }),
    purge: async (key, connectionId, event) => {
      await change(
        key,
        (found) => ({
          next: found?.connectionId === connectionId && found.state === "deleted" ? "none" : undefined,
          result: undefined,
        }),
        event,
      );
    },
    deleted: (limit, now) => deletedConnections(database, limit, now),
    postpone: (key, connectionId, from, to) =>
      change(key, (found) => changedTo(postponed(found, connectionId, { from, to }))),
    connectionsOf: async (organizationId, person) => (await liveOf(database, organizationId, person)).map(factsOf),
    connectionsIn: (organizationId, page) => connectionsIn(database, organizationId, page),
    sealedOtherwise: (keyId, page) => sealedOtherwise(database, keyId, page),
    rewrap: (key, former, next) => change(key, (found) => changedTo(rewrapped(found, former, next))),
    countByKey: () => countByKey(database),
  };
}

/** Marks all that a person has in an organization, without a record of each. Once more changes nothing. */
export async function disconnectPerson(
  database: Database,
  audit: AuditWriter,
  { organizationId, person, at }: { readonly organizationId: string; readonly person: string; readonly at: number },
): Promise<void> {
  for (const found of await liveOf(database, organizationId, person)) {
    await changeConnection(database, audit, found, (record) =>
      changedTo(record === undefined || record.state === "deleted" ? undefined : deleted(record, at)),
    );
  }
}

interface Found {
  readonly record: ConnectionRecord;
  readonly nonce: string;
}

/** What becomes of a record: another one, none, or, undefined, what it is. */
type Decide<T> = (found: ConnectionRecord | undefined) => {
  readonly next: ConnectionRecord | "none" | undefined;
  readonly result: T;
};

function changedTo(next: ConnectionRecord | undefined): ReturnType<Decide<boolean>> {
  return { next, result: next !== undefined };
}

/** Reads, decides and writes, again when another write came between. */
async function changeConnection<T>(
  database: Database,
  audit: AuditWriter,
  key: ConnectionKey,
  decide: Decide<T>,
  event?: AuditEvent,
): Promise<T> {
  const done = await untilUncontended(database.random, async () => {
    const found = await read(database, key);
    const { next, result } = decide(found?.record);
    if (next === undefined) return { result };
    const isWritten = await write(database, key, { found, next: next === "none" ? undefined : next }, audit, event);
    return isWritten ? { result } : undefined;
  });
  return done.result;
}

interface Write {
  readonly found: Found | undefined;
  readonly next: ConnectionRecord | undefined;
}

/** False: it is not as it was read. */
async function write(
  database: Database,
  key: ConnectionKey,
  { found, next }: Write,
  audit: AuditWriter,
  event: AuditEvent | undefined,
): Promise<boolean> {
  const main = mainWrite(database, key, { found, next });
  const entries = { ...entryWrites(database, key, { found, next }) };
  const isAlone = event === undefined && Object.values(entries).every((entry) => entry === undefined);
  if (isAlone && main.Put !== undefined) return putAlone(database, main.Put);
  if (next !== undefined && entries.sealed !== undefined) await noteVaultKey(database, next.sealed.keyId);
  const failed = await transact(database, {
    main,
    ...entries,
    event: event && (await audit.write(event)),
  });
  return failed.size === 0;
}

type Put = NonNullable<TransactWriteItem["Put"]>;

/** The nonce tells what the SDK repeated. */
async function putAlone(database: Database, put: Put): Promise<boolean> {
  const command = { ...put, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
  const result = await conditional(database, () => database.client.send(new PutItemCommand(command)));
  return result.met || result.failure.Item?.nonce?.S === put.Item?.nonce?.S;
}

function mainWrite(database: Database, key: ConnectionKey, { found, next }: Write) {
  const unchanged =
    found === undefined
      ? { ConditionExpression: "attribute_not_exists(pk)" }
      : { ConditionExpression: "nonce = :read", ExpressionAttributeValues: { ":read": { S: found.nonce } } };
  const TableName = database.tables.records;
  if (next === undefined) return { Delete: { TableName, Key: keyAttributes(connectionKey(key)), ...unchanged } };
  const item: ItemOfConnection = { record: JSON.stringify(next), nonce: hex(database.random.bytes(16)) };
  return { Put: { TableName, Item: toItem(connectionKey(key), item), ...unchanged } };
}

/** The entries that change, by list. */
function entryWrites(database: Database, key: ConnectionKey, { found, next }: Write) {
  const { organizationId, person, app, agent } = key;
  const entry: Listed = { organizationId, person, app, agent };
  const TableName = database.tables.records;
  const put = (at: ItemKey) => ({ Put: { TableName, Item: toItem(at, entry) } });
  const remove = (at: ItemKey) => ({ Delete: { TableName, Key: keyAttributes(at) } });
  const moved = (from: ItemKey | undefined, to: ItemKey | undefined) => {
    const isSame = from?.pk === to?.pk && from?.sk === to?.sk;
    return { left: isSame ? undefined : from && remove(from), entered: isSame ? undefined : to && put(to) };
  };
  const listed = moved(found && connectionListKey(key), next && connectionListKey(key));
  const sealed = moved(
    found && sealedConnectionKey(found.record.sealed.keyId, key),
    next && sealedConnectionKey(next.sealed.keyId, key),
  );
  const due = (record: ConnectionRecord | undefined) =>
    record?.state === "deleted" ? deletedConnectionKey(dueAt(record), key) : undefined;
  const gone = moved(due(found?.record), due(next));
  return {
    unlisted: listed.left,
    listed: listed.entered,
    unsealed: sealed.left,
    sealed: sealed.entered,
    undeleted: gone.left,
    deleted: gone.entered,
  };
}

/** Names of keys are never removed: there are as many as an operator ever had. */
async function noteVaultKey(database: Database, keyId: string): Promise<void> {
  const Item = toItem(vaultKeyKey(keyId), { keyId });
  await database.client.send(new PutItemCommand({ TableName: database.tables.records, Item }));
}

async function read(database: Database, key: ConnectionKey): Promise<Found | undefined> {
  const item = await readRecord<ItemOfConnection>(database, "records", connectionKey(key));
  return item && { record: recordAt(keyOf(key), item), nonce: item.nonce };
}

/** Callers have records in the place of keys. */
function keyOf({ organizationId, person, app, agent }: ConnectionKey): ConnectionKey {
  return { organizationId, person, app, agent };
}

/** Whose it is says where it lies, and not what is written in it: an item that somebody moved does not open there (D211). */
function recordAt(at: Partial<ConnectionKey>, { record }: Pick<ItemOfConnection, "record">): ConnectionRecord {
  return { ...(JSON.parse(record) as ConnectionRecord), ...at };
}

async function liveOf(
  database: Database,
  organizationId: string,
  person: string,
): Promise<readonly ConnectionRecord[]> {
  const range = { table: "records", direction: "ascending", pageSize: PAGE_SIZE } as const;
  const found: ConnectionRecord[] = [];
  for await (const item of readRange(database, { ...range, partition: connectionPartition(organizationId, person) })) {
    found.push(recordAt({ organizationId, person }, fromItem<ItemOfConnection>(item)));
  }
  return found
    .filter(({ state }) => state !== "deleted")
    .sort((one, other) => compare(one.app, other.app) || compare(one.agent, other.agent));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Those of a list that are there still, in the list's order. */
async function* recordsIn(
  database: Database,
  partition: string,
  { after, pageSize }: { readonly after?: string | undefined; readonly pageSize: number },
): AsyncGenerator<{ readonly position: string; readonly record: ConnectionRecord }, undefined> {
  const range = { table: "records", partition, direction: "ascending", pageSize } as const;
  let entries: Entry[] = [];
  for await (const item of readRange(database, { ...range, ...(after !== undefined && { after }) })) {
    entries.push({ position: item.sk?.S as string, of: fromItem<Listed>(item) });
    if (entries.length < pageSize) continue;
    yield* await lookedUp(database, entries);
    entries = [];
  }
  yield* await lookedUp(database, entries);
  return undefined;
}

interface Entry {
  readonly position: string;
  readonly of: Listed;
}

async function lookedUp(database: Database, entries: readonly Entry[]) {
  const items = await readItems(
    database,
    "records",
    entries.map(({ of }) => connectionKey(of)),
  );
  const found = new Map(items.map((item) => [`${item.pk?.S} ${item.sk?.S}`, fromItem<ItemOfConnection>(item)]));
  return entries.flatMap(({ position, of }) => {
    const { pk, sk } = connectionKey(of);
    const item = found.get(`${pk} ${sk}`);
    return item === undefined ? [] : [{ position, record: recordAt(keyOf(of), item) }];
  });
}

async function deletedConnections(
  database: Database,
  limit: number,
  now: number,
): Promise<readonly ConnectionRecord[]> {
  const found: ConnectionRecord[] = [];
  const end = deletedConnectionsUntil(now);
  for await (const { position, record } of recordsIn(database, deletedConnectionsPartition, { pageSize: PAGE_SIZE })) {
    if (found.length >= limit || position > end) break;
    if (record.state === "deleted" && dueAt(record) <= now) found.push(record);
  }
  return found;
}

async function connectionsIn(
  database: Database,
  organizationId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ConnectionFacts>> {
  const items: ConnectionFacts[] = [];
  let last = "";
  const range = { after: decodeCursor(cursor, LISTED), pageSize: Math.min(limit + 1, PAGE_SIZE) };
  for await (const { position, record } of recordsIn(database, connectionListPartition(organizationId), range)) {
    if (record.state === "deleted") continue;
    if (items.length === limit) return { items, nextCursor: encodeCursor(last) };
    items.push(factsOf(record));
    last = position;
  }
  return { items };
}

/** One key's list after the other. A position is the key's name and the place in its list. */
async function sealedOtherwise(
  database: Database,
  keyId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ConnectionRecord>> {
  const [afterKey = "", afterPosition] = decodeCursor(cursor, SEALED)?.split(" ") ?? [];
  const items: ConnectionRecord[] = [];
  let last = "";
  for (const other of await vaultKeys(database)) {
    if (other === keyId || other < afterKey) continue;
    const range = { after: other === afterKey ? afterPosition : undefined, pageSize: Math.min(limit + 1, PAGE_SIZE) };
    for await (const { position, record } of recordsIn(database, sealedConnectionsPartition(other), range)) {
      if (record.sealed.keyId !== other) continue;
      if (items.length === limit) return { items, nextCursor: encodeCursor(last) };
      items.push(record);
      last = `${other} ${position}`;
    }
  }
  return { items };
}

async function countByKey(database: Database): Promise<Readonly<Record<string, number>>> {
  const counts = (await vaultKeys(database)).map(async (keyId) => [keyId, await countIn(database, keyId)] as const);
  return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0));
}

async function countIn(database: Database, keyId: string): Promise<number> {
  let count = 0;
  let start: QueryCommand["input"]["ExclusiveStartKey"];
  do {
    const page = await database.client.send(
      new QueryCommand({
        TableName: database.tables.records,
        KeyConditionExpression: "pk = :partition",
        ExpressionAttributeValues: { ":partition": { S: sealedConnectionsPartition(keyId) } },
        Select: "COUNT",
        ConsistentRead: true,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      }),
    );
    count += page.Count ?? 0;
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return count;
}

async function vaultKeys(database: Database): Promise<readonly string[]> {
  const range = { table: "records", direction: "ascending", pageSize: PAGE_SIZE } as const;
  const found: string[] = [];
  for await (const item of readRange(database, { ...range, partition: vaultKeysPartition })) {
    found.push(item.sk?.S as string);
  }
  return found;
}
