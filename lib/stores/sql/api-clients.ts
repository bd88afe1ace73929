import type { ApiClientChange, ApiClientRecord, ChangeResult, ChangeTarget } from "../api-clients.ts";
import type { AuditEvent } from "../audit-log.ts";
import type { Page, PageRequest } from "../paging.ts";
import { type Tombstone, tombstoneId } from "../tombstone.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { insertKeyPair, keyPairsOf } from "./key-pairs.ts";
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
         (client_id, organization_id, name, description, scopes, resources, created_at, updated_at, revision, schema)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      record.clientId,
      record.organizationId,
      record.name,
      record.description ?? null,
      JSON.stringify(record.scopes),
      JSON.stringify(record.resources),
      record.createdAt,
      record.updatedAt,
      record.revision,
      RECORD_SCHEMA,
    );
    for (const keyPair of record.keyPairs) insertKeyPair(db, record.clientId, keyPair);
    consequences.event(event);
  });
}

export function getApiClient(db: SqlDatabase, organizationId: string, clientId: string): ApiClientRecord | undefined {
  const row = db.all(
    "SELECT * FROM api_clients WHERE client_id = ? AND organization_id = ?",
    clientId,
    organizationId,
  )[0];
  return row && apiClientOf(db, row);
}

/** Oldest first. The cursor is the creation sequence of the last one shown. */
export function listApiClients(db: SqlDatabase, organizationId: string, page: PageRequest): Page<ApiClientRecord> {
  const rows = db.all(
    "SELECT * FROM api_clients WHERE organization_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
    organizationId,
    page.cursor === undefined ? 0 : Number(page.cursor),
    page.limit + 1,
  );
  const { items, ...next } = pageOf(rows, page.limit, (row) => String(row.sequence));
  return { items: items.map((row) => apiClientOf(db, row)), ...next };
}

export function updateApiClient(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  change: ApiClientChange,
  at: number,
  event: AuditEvent,
): ChangeResult<ApiClientRecord> {
  return db.transaction(() => {
    const found = changeable(db, target);
    if (found.outcome !== "done") return found;
    const record = changed(found.value, change, at);
    db.run(
      `UPDATE api_clients SET name = ?, description = ?, scopes = ?, resources = ?, updated_at = ?, revision = ?
       WHERE client_id = ?`,
      record.name,
      record.description ?? null,
      JSON.stringify(record.scopes),
      JSON.stringify(record.resources),
      record.updatedAt,
      record.revision,
      record.clientId,
    );
    consequences.event(event);
    return { outcome: "done", value: record };
  });
}

export function deleteApiClient(
  db: SqlDatabase,
  consequences: Consequences,
  target: ChangeTarget,
  options: { readonly revokeTokens: boolean },
  event: AuditEvent,
): ChangeResult<void> {
  const { clientId } = target;
  return db.transaction(() => {
    const found = changeable(db, target);
    if (found.outcome !== "done") return found;
    db.run("DELETE FROM key_pairs WHERE client_id = ?", clientId);
    db.run("DELETE FROM api_clients WHERE client_id = ?", clientId);
    const tombstones: Tombstone[] = [{ id: tombstoneId.client(clientId) }];
    if (options.revokeTokens) tombstones.push({ id: tombstoneId.clientTokens(clientId) });
    consequences.tombstones(clientId, tombstones);
    consequences.event(event);
    return { outcome: "done", value: undefined };
  });
}

/** The record, unless it is gone or its revision is not the one the caller saw. */
export function changeable(db: SqlDatabase, target: ChangeTarget): ChangeResult<ApiClientRecord> {
  const record = getApiClient(db, target.organizationId, target.clientId);
  if (record === undefined) return { outcome: "not_found" };
  const { expectedRevision } = target;
  if (expectedRevision !== undefined && expectedRevision !== record.revision) {
    return { outcome: "stale", revision: record.revision };
  }
  return { outcome: "done", value: record };
}

/** A `description` that is present but undefined removes the description. */
function changed(record: ApiClientRecord, change: ApiClientChange, at: number): ApiClientRecord {
  const { description: before, ...rest } = record;
  const description = "description" in change ? change.description : before;
  return {
    ...rest,
    name: change.name ?? record.name,
    ...(description !== undefined && { description }),
    scopes: change.scopes ?? record.scopes,
    resources: change.resources ?? record.resources,
    updatedAt: at,
    revision: record.revision + 1,
  };
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
    keyPairs: keyPairsOf(db, String(row.client_id)),
  };
}
