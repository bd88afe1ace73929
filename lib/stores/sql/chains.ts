import type { AuditEvent } from "../audit-log.ts";
import type { AuthorizationCodeRecord, FoundCode, GrantRecord } from "../grants.ts";
import { isKnownCode } from "../known-code.ts";
import type { TokenReference } from "../tokens.ts";
import { endsOf, tombstoneId } from "../tombstone.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import { addTombstones, firstTombstone } from "./tombstones.ts";

/** A code with the mark of its use: the id of the redemption's event; absent when it was not used. */
export interface MarkedCode extends Omit<FoundCode, "isUsed"> {
  readonly usedBy?: string;
}

/** False when the consent is ended. Twice the same chain with the same code is one: who lost the answer may ask again. */
export function startChain(
  db: SqlDatabase,
  grant: GrantRecord,
  code: AuthorizationCodeRecord,
  reference: TokenReference,
): boolean {
  return db.transaction(() => {
    if (!isLiveChain(db, grant)) return false;
    const [known] = db.all("SELECT chain_id FROM authorization_codes WHERE hash = ?", reference.hash);
    if (known?.chain_id === grant.chainId) return true;
    db.run(
      "INSERT INTO grants (chain_id, expires_at, record, schema) VALUES (?, ?, ?, ?)",
      grant.chainId,
      grant.expiresAt,
      JSON.stringify(grant),
      RECORD_SCHEMA,
    );
    db.run(
      "INSERT INTO authorization_codes (hash, chain_id, expires_at, record, schema) VALUES (?, ?, ?, ?, ?)",
      reference.hash,
      grant.chainId,
      code.expiresAt,
      JSON.stringify(code),
      RECORD_SCHEMA,
    );
    return true;
  });
}

export function getGrant(db: SqlDatabase, chainId: string, now: number): GrantRecord | undefined {
  const row = db.all(
    "SELECT record AS grant_record FROM grants WHERE chain_id = ? AND expires_at > ?",
    chainId,
    now,
  )[0];
  return row && liveGrantOf(db, row);
}

export function getCode(db: SqlDatabase, reference: TokenReference, now: number): FoundCode | undefined {
  const found = findCode(db, reference, now);
  return found && { code: found.code, grant: found.grant, isUsed: found.usedBy !== undefined };
}

export function findCode(db: SqlDatabase, reference: TokenReference, now: number): MarkedCode | undefined {
  const row = db.all(
    `SELECT authorization_codes.record, used_by, grants.record AS grant_record
     FROM authorization_codes JOIN grants ON grants.chain_id = authorization_codes.chain_id
     WHERE hash = ? AND grants.expires_at > ?`,
    reference.hash,
    now,
  )[0];
  const grant = row && liveGrantOf(db, row);
  if (row === undefined || grant === undefined) return undefined;
  const code = JSON.parse(String(row.record)) as AuthorizationCodeRecord;
  const isUsed = row.used_by !== null;
  if (!isKnownCode(code, isUsed, now)) return undefined;
  return { code, grant, ...(isUsed && { usedBy: String(row.used_by) }) };
}

/** The grant in the column `grant_record`, unless its chain or consent is ended. */
export function liveGrantOf(db: SqlDatabase, row: SqlRow): GrantRecord | undefined {
  const grant = JSON.parse(String(row.grant_record)) as GrantRecord;
  return isLiveChain(db, grant) ? grant : undefined;
}

/** For as long as anything of the chain could be alive. */
export function endChain(db: SqlDatabase, consequences: Consequences, grant: GrantRecord, event: AuditEvent): void {
  addTombstones(db, [{ id: tombstoneId.chain(grant.chainId), expiresAt: grant.expiresAt }]);
  consequences.event(event);
}

function isLiveChain(db: SqlDatabase, { chainId, consentId }: GrantRecord): boolean {
  return firstTombstone(db, endsOf({ chainId, consentId })) === undefined;
}
