import type { AuditEvent } from "../audit-log.ts";
import type { ConsentRecord } from "../grants.ts";
import { tombstoneId } from "../tombstone.ts";
import { widenedConsent } from "../widened-consent.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { addTombstones, firstTombstone } from "./tombstones.ts";

export function getConsent(db: SqlDatabase, subject: string, clientId: string): ConsentRecord | undefined {
  const row = db.all("SELECT * FROM consents WHERE subject = ? AND client_id = ?", subject, clientId)[0];
  return (
    row && {
      consentId: String(row.consent_id),
      subject,
      clientId,
      scopes: JSON.parse(String(row.scopes)) as readonly string[],
      resources: JSON.parse(String(row.resources)) as readonly string[],
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
    }
  );
}

/** One that comes again after it was given and taken back is not given anew: no chain can rest on its id. */
export function giveConsent(
  db: SqlDatabase,
  consequences: Consequences,
  given: ConsentRecord,
  event: AuditEvent,
): ConsentRecord {
  return db.transaction(() => {
    if (firstTombstone(db, [tombstoneId.consent(given.consentId)]) !== undefined) return given;
    const before = getConsent(db, given.subject, given.clientId);
    const next = before === undefined ? given : (widenedConsent(before, given) ?? before);
    if (next === before) return next;
    put(db, next);
    consequences.event(event);
    return next;
  });
}

export function revokeConsent(
  db: SqlDatabase,
  consequences: Consequences,
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
    consequences.event(event);
    return true;
  });
}

function put(db: SqlDatabase, consent: ConsentRecord): void {
  db.run(
    `INSERT INTO consents (subject, client_id, consent_id, scopes, resources, created_at, updated_at, schema)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (subject, client_id) DO UPDATE SET scopes = excluded.scopes, resources = excluded.resources,
       updated_at = excluded.updated_at`,
    consent.subject,
    consent.clientId,
    consent.consentId,
    JSON.stringify(consent.scopes),
    JSON.stringify(consent.resources),
    consent.createdAt,
    consent.updatedAt,
    RECORD_SCHEMA,
  );
}
