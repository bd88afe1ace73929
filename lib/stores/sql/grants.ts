import type { JsonObject } from "../../kernel/json.ts";
import type { AuditEvent } from "../audit-log.ts";
import {
  type ConsentClients,
  type ConsentRecord,
  consentCursor,
  type GRANTS,
  type InteractionRecord,
  widenedConsent,
} from "../grants.ts";
import { type Page, type PageRequest, pageOf, positionOf } from "../paging.ts";
import { tombstoneId } from "../tombstone.ts";
import { getCode, getGrant, getRefreshToken, redeemCode, rotateRefreshToken, startChain } from "./chains.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";
import { addTombstones, firstTombstone } from "./tombstones.ts";

/**
 * Reads are decided by their last statement: a grant never changes, and a tombstone never goes while it matters. Whether a
 * value was used is decided anew by who uses it.
 */
export const sqlGrants: SqlOperations<typeof GRANTS> = {
  begin: write(beginInteraction),
  interaction: latest(getInteraction),
  advance: write(advanceInteraction),
  finish: write(finishInteraction),
  consent: latest(getConsent),
  giveConsent: change(giveConsent),
  revokeConsent: change(revokeConsent, (isRevoked) => isRevoked),
  consentsOf: latest(consentsOf),
  consentsTo: latest(consentsTo),
  grant: latest(getGrant),
  start: write(startChain),
  code: latest(getCode),
  redeem: change(redeemCode, (result) => result !== "ended"),
  refreshToken: latest(getRefreshToken),
  rotate: change(rotateRefreshToken, ({ outcome }) => outcome !== "ended"),
};

/** Idempotent: the hash is of random bits that only the request's own caller has. */
export function beginInteraction(db: SqlDatabase, interaction: InteractionRecord): void {
  db.run(
    `INSERT INTO interactions (interaction_hash, revision, content, expires_at, schema) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (interaction_hash) DO NOTHING`,
    interaction.interactionHash,
    interaction.revision,
    JSON.stringify(interaction.content),
    interaction.expiresAt,
    RECORD_SCHEMA,
  );
}

function getInteraction(db: SqlDatabase, interactionHash: string, now: number): InteractionRecord | undefined {
  const row = db.all(
    "SELECT * FROM interactions WHERE interaction_hash = ? AND expires_at > ?",
    interactionHash,
    now,
  )[0];
  return (
    row && {
      interactionHash,
      revision: Number(row.revision),
      content: JSON.parse(String(row.content)) as JsonObject,
      expiresAt: Number(row.expires_at),
    }
  );
}

export function advanceInteraction(db: SqlDatabase, next: InteractionRecord, now: number): boolean {
  const rows = db.all(
    `UPDATE interactions SET revision = ?, content = ?, expires_at = ?
     WHERE interaction_hash = ? AND revision = ? AND expires_at > ? RETURNING 1`,
    next.revision,
    JSON.stringify(next.content),
    next.expiresAt,
    next.interactionHash,
    next.revision - 1,
    now,
  );
  return rows.length === 1;
}

export function finishInteraction(db: SqlDatabase, interactionHash: string, revision: number, now: number): boolean {
  const rows = db.all(
    "DELETE FROM interactions WHERE interaction_hash = ? AND revision = ? AND expires_at > ? RETURNING 1",
    interactionHash,
    revision,
    now,
  );
  return rows.length === 1;
}

function getConsent(db: SqlDatabase, subject: string, clientId: string): ConsentRecord | undefined {
  const row = db.all("SELECT * FROM consents WHERE subject = ? AND client_id = ?", subject, clientId)[0];
  return row && consentOf(row);
}

function consentOf(row: SqlRow): ConsentRecord {
  return {
    consentId: String(row.consent_id),
    subject: String(row.subject),
    ...(row.subject_name !== null && { subjectName: String(row.subject_name) }),
    clientId: String(row.client_id),
    scopes: JSON.parse(String(row.scopes)) as readonly string[],
    resources: JSON.parse(String(row.resources)) as readonly string[],
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...(row.last_used_at !== null && { lastUsedAt: Number(row.last_used_at) }),
  };
}

function consentsOf(db: SqlDatabase, subjects: readonly string[]): readonly ConsentRecord[] {
  const statement = "SELECT * FROM consents WHERE subject IN (SELECT value FROM json_each(?))";
  return db.all(statement, JSON.stringify(subjects)).map(consentOf);
}

/** In the order of the keys; the cursor is the last one shown. The plus makes SQLite search by the index of clients. */
function consentsTo(
  db: SqlDatabase,
  { isAllBut, clients }: ConsentClients,
  { limit, cursor }: PageRequest,
): Page<ConsentRecord> {
  const rows = db.all(
    `SELECT * FROM consents
     WHERE (${isAllBut ? "" : "+"}subject, client_id) > (?, ?)
       AND client_id ${isAllBut ? "NOT" : ""} IN (SELECT value FROM json_each(?))
     ORDER BY subject, client_id LIMIT ?`,
    ...(positionOf(cursor, 2) ?? ["", ""]),
    JSON.stringify(clients),
    limit + 1,
  );
  return pageOf(rows.map(consentOf), limit, consentCursor);
}

/** One that comes again after it was given and taken back is not given anew: no chain can rest on its id. */
export function giveConsent(db: SqlDatabase, effects: Effects, given: ConsentRecord, event: AuditEvent): ConsentRecord {
  return db.transaction(() => {
    if (firstTombstone(db, [tombstoneId.consent(given.consentId)]) !== undefined) return given;
    const before = getConsent(db, given.subject, given.clientId);
    const next = before === undefined ? given : (widenedConsent(before, given) ?? before);
    if (next === before) return next;
    put(db, next);
    effects.event(event);
    return next;
  });
}

export function revokeConsent(
  db: SqlDatabase,
  effects: Effects,
  subject: string,
  clientId: string,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const [row] = db.all(
      "DELETE FROM consents WHERE subject = ? AND client_id = ? RETURNING consent_id",
      subject,
      clientId,
    );
    if (row === undefined) return false;
    addTombstones(db, [{ id: tombstoneId.consent(String(row.consent_id)) }]);
    effects.event(event);
    return true;
  });
}

function put(db: SqlDatabase, consent: ConsentRecord): void {
  db.run(
    `INSERT INTO consents
       (subject, subject_name, client_id, consent_id, scopes, resources, created_at, updated_at, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (subject, client_id) DO UPDATE SET scopes = excluded.scopes, resources = excluded.resources,
       updated_at = excluded.updated_at, subject_name = excluded.subject_name`,
    consent.subject,
    consent.subjectName ?? null,
    consent.clientId,
    consent.consentId,
    JSON.stringify(consent.scopes),
    JSON.stringify(consent.resources),
    consent.createdAt,
    consent.updatedAt,
    RECORD_SCHEMA,
  );
}
