import type { AuditEvent } from "../audit-log.ts";
import type { PASSKEYS, PasskeyRecord, PasskeyUse } from "../passkeys.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";

export const sqlPasskeys: SqlOperations<typeof PASSKEYS> = {
  addPasskey: change(addPasskey),
  getPasskey: latest(getPasskey),
  listPasskeys: latest(listPasskeys),
  notePasskeyUse: write(notePasskeyUse),
  removePasskey: change(removePasskey),
};

export function addPasskey(db: SqlDatabase, effects: Effects, passkey: PasskeyRecord, event: AuditEvent): boolean {
  return db.transaction(() => {
    const rows = db.all(
      `INSERT INTO passkeys (credential_id, user_id, created_at, record, schema) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (credential_id) DO NOTHING RETURNING 1`,
      passkey.credentialId,
      passkey.userId,
      passkey.createdAt,
      JSON.stringify(passkey),
      RECORD_SCHEMA,
    );
    if (rows.length === 0) return false;
    effects.event(event);
    return true;
  });
}

export function getPasskey(db: SqlDatabase, credentialId: string): PasskeyRecord | undefined {
  return db.all("SELECT record FROM passkeys WHERE credential_id = ?", credentialId).map(passkeyOf)[0];
}

export function listPasskeys(db: SqlDatabase, userId: string): readonly PasskeyRecord[] {
  return db
    .all("SELECT record FROM passkeys WHERE user_id = ? ORDER BY created_at, credential_id", userId)
    .map(passkeyOf);
}

export function notePasskeyUse(db: SqlDatabase, use: PasskeyUse): boolean {
  return db.transaction(() => {
    const { credentialId, formerCounter, counter, backedUp, usedAt } = use;
    const found = getPasskey(db, credentialId);
    if (found?.counter !== formerCounter) return false;
    const used: PasskeyRecord = { ...found, counter, backedUp, lastUsedAt: usedAt };
    db.run("UPDATE passkeys SET record = ? WHERE credential_id = ?", JSON.stringify(used), credentialId);
    return true;
  });
}

export function removePasskey(
  db: SqlDatabase,
  effects: Effects,
  userId: string,
  credentialId: string,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const rows = db.all(
      "DELETE FROM passkeys WHERE credential_id = ? AND user_id = ? RETURNING 1",
      credentialId,
      userId,
    );
    if (rows.length === 0) return false;
    effects.event(event);
    return true;
  });
}

function passkeyOf(row: SqlRow): PasskeyRecord {
  return JSON.parse(String(row.record)) as PasskeyRecord;
}
