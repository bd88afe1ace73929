import { type Decision, decideDelete, decideUpdate } from "../../api-clients/changes.ts";
import type { ApiClientChange, ApiClientRecord, ChangeResult, ChangeTarget, KeyPairRecord } from "../api-clients.ts";
import type { AuditEvent } from "../audit-log.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { deleteKeyPairs, insertKeyPair, keyPairsOf } from "./key-pairs.ts";
import { pageOf } from "./paging.ts";

export function createApiClient(
  db: SqlDatabase,
  consequences: Consequences,
  record: ApiClientRecord,
  event: AuditEvent,
): void {
  db.transaction(() => {
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
    consequences.event(event);
  });
}

export function getApiClient(db: SqlDatabase, organizationId: string, clientId: string): ApiClientRecord | undefined {
  const record = findApiClient(db, clientId);
  return record?.organizationId === organizationId ? record : undefined;
}

/** Of any organization. */
export function findApiClient(db: SqlDatabase, clientId: string): ApiClientRecord | undefined {
  const row = db.all("SELECT * FROM api_clients WHERE client_id = ?", clientId)[0];
  return row && apiClientOf(db, row);
}

/** Oldest first. The cursor is the creation sequence of the last one shown. */
export function listApiClients(db: SqlDatabase, organizationId: string, page: PageRequest): Page<ApiClientRecord> {
  const rows = db.all(
    "SELECT * FROM api_clients WHERE organization_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
    organizationId,
    sequenceOf(page.cursor),
    page.limit + 1,
  );
  const { items, ...next } = pageOf(rows, page.limit, (row) => String(row.sequence));
  return { items: items.map((row) => apiClientOf(db, row)), ...next };
}

function sequenceOf(cursor: string | undefined): number {
  return cursor !== undefined && /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;
}

export function updateApiClient(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  change: ApiClientChange,
  at: number,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return changeApiClient(db, consequences, target, event, (found) => decideUpdate(found, target, change, at));
}

export function deleteApiClient(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  options: { readonly revokeTokens: boolean },
  event: AuditEvent,
): ChangeResult<void> {
  return changeApiClient(db, consequences, target, event, (found) => decideDelete(found, target, options));
}

/** Reads the client, lets `decide` look at it, and carries the decision out. */
export function changeApiClient<T>(
  db: SqlDatabase,
  consequences: Consequences,
  { organizationId, clientId }: ChangeTarget,
  event: AuditEvent,
  decide: (found: ApiClientRecord) => Decision<T>,
): ChangeResult<T> {
  return db.transaction(() => {
    const found = getApiClient(db, organizationId, clientId);
    if (found === undefined) return { outcome: "not_found" };
    const decision = decide(found);
    if (decision.kind === "answer") return decision.result;
    if (decision.kind === "write") write(db, found, decision.next);
    else remove(db, clientId);
    if (decision.tombstones.length > 0) consequences.tombstones(clientId, decision.tombstones);
    consequences.event(event);
    return { outcome: "done", value: decision.value };
  });
}

function write(db: SqlDatabase, before: ApiClientRecord, next: ApiClientRecord): void {
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
