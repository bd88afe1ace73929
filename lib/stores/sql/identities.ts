import type { AuditEvent } from "../audit-log.ts";
import { type IDENTITIES, type IdentityKey, type IdentityRecord, personId } from "../identities.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { change, type Effects, latest, type SqlOperations } from "./operations.ts";
import { membershipsOf } from "./people.ts";

export const sqlIdentities: SqlOperations<typeof IDENTITIES> = {
  linkIdentity: change(linkIdentity),
  findIdentity: latest(findIdentity),
  listIdentities: latest(listIdentities),
  unlinkIdentity: change(unlinkIdentity),
};

export function linkIdentity(db: SqlDatabase, effects: Effects, identity: IdentityRecord, event: AuditEvent): boolean {
  return db.transaction(() => {
    const rows = db.all(
      `INSERT INTO identities (issuer, subject, user_id, created_at, record, schema) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (issuer, subject) DO NOTHING RETURNING 1`,
      identity.issuer,
      identity.subject,
      identity.userId,
      identity.createdAt,
      JSON.stringify(identity),
      RECORD_SCHEMA,
    );
    if (rows.length === 0) return false;
    effects.event(event);
    return true;
  });
}

export function findIdentity(db: SqlDatabase, { issuer, subject }: IdentityKey): IdentityRecord | undefined {
  return db.all("SELECT record FROM identities WHERE issuer = ? AND subject = ?", issuer, subject).map(identityOf)[0];
}

export function listIdentities(db: SqlDatabase, userId: string): readonly IdentityRecord[] {
  return db
    .all("SELECT record FROM identities WHERE user_id = ? ORDER BY created_at, issuer, subject", userId)
    .map(identityOf);
}

export function unlinkIdentity(
  db: SqlDatabase,
  effects: Effects,
  userId: string,
  { issuer, subject }: IdentityKey,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const rows = db.all(
      "DELETE FROM identities WHERE issuer = ? AND subject = ? AND user_id = ? RETURNING 1",
      issuer,
      subject,
      userId,
    );
    if (rows.length === 0) return false;
    const people = [personId({ issuer, subject })];
    for (const { organizationId } of membershipsOf(db, userId)) {
      effects.disconnect({ organizationId, people, at: event.time });
    }
    effects.event(event);
    return true;
  });
}

function identityOf(row: SqlRow): IdentityRecord {
  return JSON.parse(String(row.record)) as IdentityRecord;
}
