import {
  decideAddKeyPair,
  decideDelete,
  decideRevokeKeyPair,
  decideUpdate,
  verificationOf,
} from "../../../lib/api-clients/changes.ts";
import type { ApiClientRecord, ApiClients, VerificationRead } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import { listApiClients } from "./api-client-list.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { changeClient } from "./client-change.ts";
import { readClient, toClientItem } from "./client-items.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import { recordUse } from "./key-pair-use.ts";
import { clientListKey } from "./keys.ts";
import { transact } from "./transact.ts";

/**
 * API clients in the records table: one item a client, its key pairs inside, so that each change is one conditional
 * write on the client's revision. Revoked key pairs stay in it, so that their fingerprints are known. When key pairs were
 * used is in a second item, so that no use meets a change. No read is cached.
 */
export function dynamoApiClients(database: Database, audit: AuditWriter): ApiClients {
  return {
    create: (record, event) => create(database, audit, record, event),
    get: (organizationId, clientId) => get(database, organizationId, clientId),
    list: (organizationId, page) => listApiClients(database, organizationId, page),
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
): Promise<void> {
  const { clientId, organizationId, createdAt } = record;
  const TableName = database.tables.records;
  const failed = await transact(database, {
    client: {
      Put: { TableName, Item: toClientItem(record), ConditionExpression: "attribute_not_exists(pk)" },
    },
    listing: { Put: { TableName, Item: toItem(clientListKey(organizationId, createdAt, clientId), { clientId }) } },
    event: await audit.write(event),
  });
  if (failed.size > 0) throw new Error(`API client ${clientId} exists`);
}

async function get(database: Database, organizationId: string, clientId: string): Promise<ApiClientRecord | undefined> {
  const record = await readClient(database, clientId);
  return record?.organizationId === organizationId ? record : undefined;
}

async function getForVerification(database: Database, clientId: string): Promise<VerificationRead> {
  const found = await readClient(database, clientId);
  return { record: found && verificationOf(found), authoritative: true };
}
