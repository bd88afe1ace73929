import { type TransactWriteItem, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import {
  type Decision,
  decideAddKeyPair,
  decideDelete,
  decideRevokeKeyPair,
  decideUpdate,
  verificationOf,
} from "../../../lib/stores/api-client-changes.ts";
import type {
  ApiClientListRequest,
  ApiClientPage,
  ApiClientRecord,
  ApiClients,
  ChangeResult,
  ChangeTarget,
  KeyPairUse,
  VerificationRead,
} from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { type ClientListing, readClientList } from "./api-client-list.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { untilUncontended } from "./backoff.ts";
import type { Database } from "./database.ts";
import { fromItem, type Item, keyAttributes, SCHEMA_ATTRIBUTE, toItem } from "./items.ts";
import { clientKey, clientListKey, clientUsesKey, type ItemKey } from "./keys.ts";
import { unlessClosed } from "./organization-items.ts";
import { readItems } from "./reads.ts";
import { tombstoneWrite } from "./tombstones.ts";
import { conditional, transact } from "./writes.ts";

/**
 * API clients in the records table: one item a client, its key pairs inside, so that each change is one conditional
 * write on the client's revision. Revoked key pairs stay in it, so that their fingerprints are known. When key pairs were
 * used is in a second item, so that no use meets a change. No read is cached.
 */
export function dynamoApiClients(database: Database, audit: AuditWriter): ApiClients {
  return {
    create: (record, event) => create(database, audit, record, event),
    get: (organizationId, clientId) => get(database, organizationId, clientId),
    list: (organizationId, request) => listApiClients(database, organizationId, request),
    update: (target, change, at, event) =>
      changeClient(database, audit, target, event, (found) => decideUpdate(found, target, change, at)),
    delete: (target, options, event) =>
      changeClient(database, audit, target, event, (found) => decideDelete(found, target, options)),
    addKeyPair: (target, keyPair, event) =>
      changeClient(database, audit, target, event, (found) => decideAddKeyPair(found, target, keyPair)),
    revokeKeyPair: (target, keyPairId, at, event) =>
      changeClient(database, audit, target, event, (found) => decideRevokeKeyPair(found, target, keyPairId, at)),
    recordUse: (use) => recordUse(database, use),
    getForVerification: (clientId) => getForVerification(database, clientId),
  };
}

async function create(
  database: Database,
  audit: AuditWriter,
  record: ApiClientRecord,
  event: AuditEvent,
): Promise<boolean> {
  const { clientId } = record;
  const TableName = database.tables.records;
  const failed = await transact(database, {
    client: {
      Put: { TableName, Item: toClientItem(record), ConditionExpression: "attribute_not_exists(pk)" },
    },
    listing: listingWrite(database, record),
    organization: unlessClosed(database, record.organizationId),
    event: await audit.write(event),
  });
  if (failed.has("organization")) return false;
  if (failed.size > 0) throw new Error(`API client ${clientId} exists`);
  return true;
}

async function get(database: Database, organizationId: string, clientId: string): Promise<ApiClientRecord | undefined> {
  const record = await readClient(database, clientId);
  return record?.organizationId === organizationId ? record : undefined;
}

async function getForVerification(database: Database, clientId: string): Promise<VerificationRead> {
  const found = await readClient(database, clientId);
  return { record: found && verificationOf(found), authoritative: true };
}

/** The ids of a page, then the clients that they name. */
export async function listApiClients(
  database: Database,
  organizationId: string,
  request: ApiClientListRequest,
): Promise<ApiClientPage> {
  const { clientIds, ...rest } = await readClientList(database, organizationId, request, readClients);
  const records = await readClients(database, clientIds);
  // A client that was deleted between the two reads is left out.
  return { items: clientIds.flatMap((clientId) => records.get(clientId) ?? []), ...rest };
}

/**
 * Reads the client, lets `decide` look at it, and writes the decision together with its audit event on the condition that
 * the revision is still the one read; otherwise reads and decides again.
 */
export function changeClient<T>(
  database: Database,
  audit: AuditWriter,
  { organizationId, clientId }: ChangeTarget,
  event: AuditEvent,
  decide: (found: ApiClientRecord) => Decision<T>,
): Promise<ChangeResult<T>> {
  return untilUncontended<ChangeResult<T>>(database.random, async () => {
    const found = await readClient(database, clientId);
    if (found?.organizationId !== organizationId) return { outcome: "not_found" };
    const decision = decide(found);
    if (decision.kind === "answer") return decision.result;
    const tombstones = decision.tombstones.map((tombstone, index) => [
      `tombstone${index}`,
      tombstoneWrite(database, tombstone),
    ]);
    const isRemoved = decision.kind === "remove";
    const failed = await transact(database, {
      client: clientWrite(database, found, isRemoved ? undefined : decision.next),
      listing: isRemoved
        ? removal(database, clientListKey(organizationId, found.createdAt, clientId))
        : isTextSame(found, decision.next)
          ? undefined
          : listingWrite(database, decision.next),
      uses: isRemoved ? removal(database, clientUsesKey(clientId)) : undefined,
      event: await audit.write(event),
      ...Object.fromEntries(tombstones),
    });
    return failed.size > 0 ? undefined : { outcome: "done", value: decision.value };
  });
}

function clientWrite(database: Database, read: ApiClientRecord, next: ApiClientRecord | undefined): TransactWriteItem {
  const TableName = database.tables.records;
  const unchanged = {
    ConditionExpression: "revision = :read",
    ExpressionAttributeValues: { ":read": { N: String(read.revision) } },
  };
  return next === undefined
    ? { Delete: { TableName, Key: keyAttributes(clientKey(read.clientId)), ...unchanged } }
    : { Put: { TableName, Item: toClientItem(next), ...unchanged } };
}

/** With what is searched for. Listings of releases before have the id alone, until the client is renamed. */
function listingWrite(
  database: Database,
  { clientId, organizationId, createdAt, name, description }: ApiClientRecord,
): TransactWriteItem {
  const listing: ClientListing = { clientId, name, ...(description !== undefined && { description }) };
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(clientListKey(organizationId, createdAt, clientId), listing),
    },
  };
}

function isTextSame(before: ApiClientRecord, after: ApiClientRecord): boolean {
  return before.name === after.name && before.description === after.description;
}

function removal(database: Database, key: ItemKey): TransactWriteItem {
  return { Delete: { TableName: database.tables.records, Key: keyAttributes(key) } };
}

/**
 * Keeps the hour in the client's item of uses, one attribute a key pair. Reads first, so that ids that nobody has leave
 * nothing and the many requests of one hour write once. A use that meets the client's deletion can leave an item behind
 * that nothing reads.
 */
export async function recordUse(database: Database, { clientId, keyPairId, hour }: KeyPairUse): Promise<void> {
  const client = await readClient(database, clientId);
  const keyPair = client?.keyPairs.find((known) => known.keyPairId === keyPairId);
  if (keyPair === undefined || (keyPair.lastUsedAt ?? -1) >= hour) return;
  await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.records,
        Key: keyAttributes(clientUsesKey(clientId)),
        UpdateExpression: "SET #keyPair = :hour, #schema = :schema",
        ConditionExpression: "attribute_not_exists(#keyPair) OR #keyPair < :hour",
        ExpressionAttributeNames: { "#keyPair": keyPairId, "#schema": SCHEMA_ATTRIBUTE.name },
        ExpressionAttributeValues: { ":hour": { N: String(hour) }, ":schema": SCHEMA_ATTRIBUTE.value },
      }),
    ),
  );
}

/** A strongly consistent read of one client. */
export async function readClient(database: Database, clientId: string): Promise<ApiClientRecord | undefined> {
  return (await readClients(database, [clientId])).get(clientId);
}

/** Strongly consistent reads of many clients by id; what does not exist is left out. The ids are distinct. */
async function readClients(
  database: Database,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ApiClientRecord>> {
  const keys = clientIds.flatMap((clientId) => [clientKey(clientId), clientUsesKey(clientId)]);
  const items = new Map((await readItems(database, "records", keys)).map((item) => [item.pk?.S, item]));
  const found = clientIds.flatMap((clientId): [string, ApiClientRecord][] => {
    const item = items.get(clientKey(clientId).pk);
    return item === undefined ? [] : [[clientId, clientOf(item, items.get(clientUsesKey(clientId).pk))]];
  });
  return new Map(found);
}

/** The client's own item. When its key pairs were used is in another one, which changes without the client. */
function toClientItem(record: ApiClientRecord): Item {
  const keyPairs = record.keyPairs.map(({ lastUsedAt: _, ...keyPair }) => keyPair);
  return toItem(clientKey(record.clientId), { ...record, keyPairs });
}

/** Items of releases that knew no `grantRevision` read as the first one. */
function clientOf(item: Item, usesItem: Item | undefined): ApiClientRecord {
  const record = fromItem<ApiClientRecord>(item);
  const hours = usesItem === undefined ? {} : fromItem<Readonly<Record<string, number>>>(usesItem);
  const keyPairs = record.keyPairs.map((keyPair) => {
    const lastUsedAt = hours[keyPair.keyPairId];
    return lastUsedAt === undefined ? keyPair : { ...keyPair, lastUsedAt };
  });
  return { ...record, grantRevision: record.grantRevision ?? 1, keyPairs };
}
