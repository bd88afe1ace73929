import type { PublicKeyJwk } from "../../protocol/oauth/public-key.ts";
import {
  type Decision,
  decideAddKeyPair,
  decideDelete,
  decideRevokeKeyPair,
  decideUpdate,
} from "../api-client-changes.ts";
import type {
  API_CLIENTS,
  ApiClientChange,
  ApiClientListRequest,
  ApiClientPage,
  ApiClientRecord,
  ChangeResult,
  ChangeTarget,
  KeyPairRecord,
  KeyPairStatus,
  KeyPairUse,
  VerificationRecord,
} from "../api-clients.ts";
import type { AuditEvent } from "../audit-log.ts";
import { listApiClientRows } from "./api-client-list.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { isClosed } from "./directory.ts";
import { change, type Effects, latest, type SqlOperations, snapshot, write } from "./operations.ts";

/** Reads for verification are never cached here, so each is authoritative. */
export const sqlApiClients: SqlOperations<typeof API_CLIENTS> = {
  create: change(createApiClient),
  get: snapshot(getApiClient),
  list: snapshot(listApiClients),
  update: change(updateApiClient),
  delete: change(deleteApiClient),
  addKeyPair: change(addKeyPair),
  revokeKeyPair: change(revokeKeyPair),
  recordUse: write(recordKeyPairUse),
  getForVerification: latest((db, clientId) => ({ record: readVerificationRecord(db, clientId), authoritative: true })),
};

export function createApiClient(
  db: SqlDatabase,
  effects: Effects,
  record: ApiClientRecord,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    if (isClosed(db, record.organizationId)) return false;
    db.run(
      `INSERT INTO api_clients
         (client_id, organization_id, name, description, scopes, resources, created_at, updated_at, revision, grant_revision,
          schema)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.clientId,
      record.organizationId,
      record.name,
      record.description ?? null,
      JSON.stringify(record.scopes),
      JSON.stringify(record.resources),
      record.createdAt,
      record.updatedAt,
      record.revision,
      record.grantRevision,
      RECORD_SCHEMA,
    );
    for (const keyPair of record.keyPairs) insertKeyPair(db, record.clientId, keyPair);
    effects.event(event);
    return true;
  });
}

function getApiClient(db: SqlDatabase, organizationId: string, clientId: string): ApiClientRecord | undefined {
  const record = findApiClient(db, clientId);
  return record?.organizationId === organizationId ? record : undefined;
}

/** Of any organization. */
export function findApiClient(db: SqlDatabase, clientId: string): ApiClientRecord | undefined {
  const row = db.all("SELECT * FROM api_clients WHERE client_id = ?", clientId)[0];
  return row && apiClientOf(db, row);
}

/** Newest first unless another order is asked for. */
export function listApiClients(db: SqlDatabase, organizationId: string, request: ApiClientListRequest): ApiClientPage {
  const { rows, ...rest } = listApiClientRows(db, organizationId, request);
  return { items: rows.map((row) => apiClientOf(db, row)), ...rest };
}

export function updateApiClient(
  db: SqlDatabase,
  effects: Effects,
  target: ChangeTarget,
  change: ApiClientChange,
  at: number,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return changeApiClient(db, effects, target, event, (found) => decideUpdate(found, target, change, at));
}

export function deleteApiClient(
  db: SqlDatabase,
  effects: Effects,
  target: ChangeTarget,
  options: { readonly revokeTokens: boolean },
  event: AuditEvent,
): ChangeResult<void> {
  return changeApiClient(db, effects, target, event, (found) => decideDelete(found, target, options));
}

/** Reads the client, lets `decide` look at it, and carries the decision out. */
export function changeApiClient<T>(
  db: SqlDatabase,
  effects: Effects,
  { organizationId, clientId }: ChangeTarget,
  event: AuditEvent,
  decide: (found: ApiClientRecord) => Decision<T>,
): ChangeResult<T> {
  return db.transaction(() => {
    const found = getApiClient(db, organizationId, clientId);
    if (found === undefined) return { outcome: "not_found" };
    const decision = decide(found);
    if (decision.kind === "answer") return decision.result;
    if (decision.kind === "write") writeChange(db, found, decision.next);
    else remove(db, clientId);
    if (decision.tombstones.length > 0) effects.tombstones(clientId, decision.tombstones);
    effects.event(event);
    return { outcome: "done", value: decision.value };
  });
}

function writeChange(db: SqlDatabase, before: ApiClientRecord, next: ApiClientRecord): void {
  db.run(
    `UPDATE api_clients SET name = ?, description = ?, scopes = ?, resources = ?, updated_at = ?, revision = ?,
       grant_revision = ? WHERE client_id = ?`,
    next.name,
    next.description ?? null,
    JSON.stringify(next.scopes),
    JSON.stringify(next.resources),
    next.updatedAt,
    next.revision,
    next.grantRevision,
    next.clientId,
  );
  for (const keyPair of next.keyPairs.filter((kept) => !before.keyPairs.includes(kept))) {
    const isNew = before.keyPairs.every(({ keyPairId }) => keyPairId !== keyPair.keyPairId);
    if (isNew) insertKeyPair(db, next.clientId, keyPair);
    else updateKeyPair(db, keyPair);
  }
}

function updateKeyPair(db: SqlDatabase, { keyPairId, status, revokedAt }: KeyPairRecord): void {
  db.run("UPDATE key_pairs SET status = ?, revoked_at = ? WHERE key_pair_id = ?", status, revokedAt ?? null, keyPairId);
}

function remove(db: SqlDatabase, clientId: string): void {
  deleteKeyPairs(db, clientId);
  db.run("DELETE FROM api_clients WHERE client_id = ?", clientId);
}

function apiClientOf(db: SqlDatabase, row: SqlRow): ApiClientRecord {
  return {
    clientId: String(row.client_id),
    organizationId: String(row.organization_id),
    name: String(row.name),
    ...(row.description !== null && { description: String(row.description) }),
    scopes: JSON.parse(String(row.scopes)) as readonly string[],
    resources: JSON.parse(String(row.resources)) as readonly string[],
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    revision: Number(row.revision),
    grantRevision: Number(row.grant_revision),
    keyPairs: keyPairsOf(db, String(row.client_id)),
  };
}

export function addKeyPair(
  db: SqlDatabase,
  effects: Effects,
  target: ChangeTarget,
  keyPair: KeyPairRecord,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return changeApiClient(db, effects, target, event, (found) => decideAddKeyPair(found, target, keyPair));
}

export function revokeKeyPair(
  db: SqlDatabase,
  effects: Effects,
  target: ChangeTarget,
  keyPairId: string,
  at: number,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return changeApiClient(db, effects, target, event, (found) => decideRevokeKeyPair(found, target, keyPairId, at));
}

/** Throws when the client has or had the fingerprint. */
function insertKeyPair(db: SqlDatabase, clientId: string, keyPair: KeyPairRecord): void {
  db.run(
    `INSERT INTO key_pairs (key_pair_id, client_id, fingerprint, public_key, status, created_at, revoked_at, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    keyPair.keyPairId,
    clientId,
    keyPair.fingerprint,
    JSON.stringify(keyPair.publicKey),
    keyPair.status,
    keyPair.createdAt,
    keyPair.revokedAt ?? null,
    RECORD_SCHEMA,
  );
  const { keyPairId, lastUsedAt } = keyPair;
  if (lastUsedAt !== undefined) recordKeyPairUse(db, { clientId, keyPairId, hour: lastUsedAt });
}

/** In the order they were added, revoked ones included. */
export function keyPairsOf(db: SqlDatabase, clientId: string): readonly KeyPairRecord[] {
  const uses = "key_pairs LEFT JOIN key_pair_uses USING (sequence)";
  return db.all(`SELECT * FROM ${uses} WHERE client_id = ? ORDER BY sequence`, clientId).map(keyPairOf);
}

/** Never moves the hour back. Changes nothing else, and nothing at all for ids that are unknown. */
export function recordKeyPairUse(db: SqlDatabase, { clientId, keyPairId, hour }: KeyPairUse): void {
  db.run(
    `INSERT INTO key_pair_uses (sequence, hour) SELECT sequence, ? FROM key_pairs WHERE client_id = ? AND key_pair_id = ?
     ON CONFLICT (sequence) DO UPDATE SET hour = excluded.hour WHERE key_pair_uses.hour < excluded.hour`,
    hour,
    clientId,
    keyPairId,
  );
}

/** With what is noted about them. */
function deleteKeyPairs(db: SqlDatabase, clientId: string): void {
  db.run("DELETE FROM key_pair_uses WHERE sequence IN (SELECT sequence FROM key_pairs WHERE client_id = ?)", clientId);
  db.run("DELETE FROM key_pairs WHERE client_id = ?", clientId);
}

function keyPairOf(row: SqlRow): KeyPairRecord {
  return {
    keyPairId: String(row.key_pair_id),
    fingerprint: String(row.fingerprint),
    publicKey: JSON.parse(String(row.public_key)) as PublicKeyJwk,
    status: row.status as KeyPairStatus,
    createdAt: Number(row.created_at),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
    ...(row.hour !== null && { lastUsedAt: Number(row.hour) }),
  };
}

/** One statement, because each token request asks: a row for each active key pair, or one row without any. */
export function readVerificationRecord(db: SqlDatabase, clientId: string): VerificationRecord | undefined {
  const rows = db.all(
    `SELECT organization_id, name, scopes, resources, grant_revision, key_pair_id, fingerprint, public_key, hour
     FROM api_clients
       LEFT JOIN key_pairs ON key_pairs.client_id = api_clients.client_id AND status = 'active'
       LEFT JOIN key_pair_uses ON key_pair_uses.sequence = key_pairs.sequence
     WHERE api_clients.client_id = ? ORDER BY key_pairs.sequence`,
    clientId,
  );
  const [client] = rows;
  return (
    client && {
      clientId,
      organizationId: String(client.organization_id),
      name: String(client.name),
      scopes: JSON.parse(String(client.scopes)) as readonly string[],
      resources: JSON.parse(String(client.resources)) as readonly string[],
      grantRevision: Number(client.grant_revision),
      keyPairs: rows.filter((row) => row.key_pair_id !== null).map(activeKeyPairOf),
    }
  );
}

function activeKeyPairOf(row: SqlRow): VerificationRecord["keyPairs"][number] {
  return {
    keyPairId: String(row.key_pair_id),
    fingerprint: String(row.fingerprint),
    publicKey: JSON.parse(String(row.public_key)) as PublicKeyJwk,
    ...(row.hour !== null && { lastUsedAt: Number(row.hour) }),
  };
}
