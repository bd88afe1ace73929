import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type {
  ApiClientChange,
  ApiClientRecord,
  ApiClients,
  ChangeResult,
  ChangeTarget,
  VerificationRead,
} from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { tombstoneId } from "../../../lib/stores/tombstone.ts";
import { listApiClients } from "./api-client-list.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { changeClient, unlessStale } from "./client-change.ts";
import type { Database } from "./database.ts";
import { keyAttributes, toItem } from "./items.ts";
import { addKeyPair, revokeKeyPair } from "./key-pairs.ts";
import { clientKey, clientListKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { tombstoneWrite } from "./tombstones.ts";
import { transact } from "./transact.ts";

/**
 * API clients in the records table: one item a client, its key pairs inside, so that each change is one conditional
 * write on the client's revision. No read is cached.
 */
export function dynamoApiClients(database: Database, audit: AuditWriter): ApiClients {
  return {
    create: (record, event) => create(database, audit, record, event),
    get: (organizationId, clientId) => get(database, organizationId, clientId),
    list: (organizationId, page) => listApiClients(database, organizationId, page),
    update: (target, change, at, event) => update(database, audit, target, change, at, event),
    delete: (target, options, at, event) => remove(database, audit, target, options, at, event),
    addKeyPair: (target, keyPair, event) => addKeyPair(database, audit, target, keyPair, event),
    revokeKeyPair: (target, keyPairId, at, event) => revokeKeyPair(database, audit, target, keyPairId, at, event),
    getForVerification: (clientId) => getForVerification(database, clientId),
  };
}

async function create(
  database: Database,
  audit: AuditWriter,
  record: ApiClientRecord,
  event: AuditEvent,
): Promise<void> {
  const { clientId, organizationId, createdAt } = record;
  const TableName = database.tables.records;
  const failed = await transact(database, {
    client: {
      Put: { TableName, Item: toItem(clientKey(clientId), record), ConditionExpression: "attribute_not_exists(pk)" },
    },
    listing: { Put: { TableName, Item: toItem(clientListKey(organizationId, createdAt, clientId), { clientId }) } },
    event: await audit.write(event),
  });
  if (failed.size > 0) throw new Error(`API client ${clientId} exists`);
}

async function get(database: Database, organizationId: string, clientId: string): Promise<ApiClientRecord | undefined> {
  const record = await readRecord<ApiClientRecord>(database, "records", clientKey(clientId));
  return record?.organizationId === organizationId ? record : undefined;
}

function update(
  database: Database,
  audit: AuditWriter,
  target: ChangeTarget,
  change: ApiClientChange,
  at: number,
  event: AuditEvent,
): Promise<ChangeResult<ApiClientRecord>> {
  return changeClient(database, audit, target, event, (record) => {
    const next = { ...changed(record, change), updatedAt: at };
    return unlessStale(record, target) ?? { kind: "write", next, value: (written) => written };
  });
}

/** A `description` that is present but undefined removes the description. */
function changed(record: ApiClientRecord, change: ApiClientChange): ApiClientRecord {
  const { description: before, ...rest } = record;
  const description = "description" in change ? change.description : before;
  return {
    ...rest,
    name: change.name ?? record.name,
    ...(description !== undefined && { description }),
    scopes: change.scopes ?? record.scopes,
    resources: change.resources ?? record.resources,
  };
}

function remove(
  database: Database,
  audit: AuditWriter,
  target: ChangeTarget,
  options: { readonly revokeTokens: boolean },
  at: number,
  event: AuditEvent,
): Promise<ChangeResult<void>> {
  const { clientId } = target;
  const ended = [tombstoneId.client(clientId), ...(options.revokeTokens ? [tombstoneId.clientTokens(clientId)] : [])];
  return changeClient<void>(database, audit, target, event, (record) => {
    const writes = [listingRemoval(database, record), ...ended.map((id) => tombstoneWrite(database, id, at))];
    return unlessStale(record, target) ?? { kind: "remove", writes, value: () => undefined };
  });
}

function listingRemoval(database: Database, record: ApiClientRecord): TransactWriteItem {
  const key = clientListKey(record.organizationId, record.createdAt, record.clientId);
  return { Delete: { TableName: database.tables.records, Key: keyAttributes(key) } };
}

async function getForVerification(database: Database, clientId: string): Promise<VerificationRead> {
  const found = await readRecord<ApiClientRecord>(database, "records", clientKey(clientId));
  if (found === undefined) return { record: undefined, authoritative: true };
  const { organizationId, scopes, resources } = found;
  const keyPairs = found.keyPairs
    .filter(({ status }) => status === "active")
    .map(({ keyPairId, fingerprint, publicKey }) => ({ keyPairId, fingerprint, publicKey }));
  return { record: { clientId, organizationId, scopes, resources, keyPairs }, authoritative: true };
}
