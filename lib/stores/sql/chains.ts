import type { AuditEvent } from "../audit-log.ts";
import {
  type AuthorizationCodeRecord,
  type CodeRedemption,
  type FoundCode,
  type FoundRefreshToken,
  type GrantRecord,
  isKnownCode,
  type NewRefreshToken,
  type RedemptionResult,
  type RefreshTokenRecord,
  type Rotation,
  type RotationResult,
  USE_NOTED_EVERY,
} from "../grants.ts";
import type { StoredToken, TokenReference } from "../tokens.ts";
import { endsOf, tombstoneId } from "../tombstone.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import type { Effects } from "./operations.ts";
import { isStopped } from "./stops.ts";
import { insertTokenOnce } from "./tokens.ts";
import { addTombstones, firstTombstone } from "./tombstones.ts";

/** A code with the mark of its use: the id of the redemption's event; absent when it was not used. */
interface MarkedCode extends Omit<FoundCode, "isUsed"> {
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
function liveGrantOf(db: SqlDatabase, row: SqlRow): GrantRecord | undefined {
  const grant = JSON.parse(String(row.grant_record)) as GrantRecord;
  return isLiveChain(db, grant) ? grant : undefined;
}

/** For as long as anything of the chain could be alive. */
export function endChain(db: SqlDatabase, effects: Effects, grant: GrantRecord, event: AuditEvent): void {
  addTombstones(db, [{ id: tombstoneId.chain(grant.chainId), expiresAt: grant.expiresAt }]);
  effects.event(event);
}

function isLiveChain(db: SqlDatabase, grant: GrantRecord): boolean {
  const { chainId, consentId } = grant;
  return firstTombstone(db, endsOf({ chainId, consentId })) === undefined && !isStopped(db, grant);
}

/** A redemption is known by its event: one that comes again, its answer lost, is answered as the first time. */
export function redeemCode(db: SqlDatabase, effects: Effects, request: CodeRedemption): RedemptionResult {
  const { reference, refreshToken, event } = request;
  return db.transaction(() => {
    const found = findCode(db, reference, request.now);
    if (found === undefined) return "ended";
    if (found.usedBy === event.id) return "redeemed";
    if (found.usedBy !== undefined) {
      endChain(db, effects, found.grant, request.reuseEvent);
      return "reused";
    }
    db.run("UPDATE authorization_codes SET used_by = ? WHERE hash = ?", event.id, reference.hash);
    if (refreshToken !== undefined) insertRefreshToken(db, found.grant.chainId, refreshToken);
    insertAccessToken(db, request.accessToken);
    noteUse(db, found.grant, request.now);
    effects.event(event);
    return "redeemed";
  });
}

export function getRefreshToken(
  db: SqlDatabase,
  reference: TokenReference,
  now: number,
): FoundRefreshToken | undefined {
  const found = findRefreshToken(db, reference, now);
  if (found === undefined) return undefined;
  const { refreshToken, grant, use } = found;
  return { refreshToken, grant, ...(use !== undefined && { rotatedAt: use.rotatedAt }) };
}

/** Known by its event as a redemption is. */
export function rotateRefreshToken(db: SqlDatabase, effects: Effects, request: Rotation): RotationResult {
  const { reference, successor, event, now } = request;
  return db.transaction(() => {
    const found = findRefreshToken(db, reference, now);
    if (found === undefined) return { outcome: "ended" };
    const { grant, use } = found;
    if (use?.usedBy === event.id) return { outcome: "rotated" };
    if (use !== undefined && now - use.rotatedAt >= request.grace) {
      endChain(db, effects, grant, request.reuseEvent);
      return { outcome: "reused" };
    }
    if (use === undefined) {
      markRotated(db, request);
      insertRefreshToken(db, grant.chainId, successor);
    }
    insertAccessToken(db, request.accessToken);
    noteUse(db, grant, now);
    effects.event(event);
    return use === undefined ? { outcome: "rotated" } : { outcome: "repeated", sealedSuccessor: use.sealedSuccessor };
  });
}

interface Found extends FoundRefreshToken {
  /** Present when it was rotated. */
  readonly use?: { readonly rotatedAt: number; readonly usedBy: string; readonly sealedSuccessor: string };
}

function findRefreshToken(db: SqlDatabase, reference: TokenReference, now: number): Found | undefined {
  const row = db.all(
    `SELECT refresh_tokens.record, rotated_at, used_by, sealed_successor, grants.record AS grant_record
     FROM refresh_tokens JOIN grants ON grants.chain_id = refresh_tokens.chain_id
     WHERE hash = ? AND refresh_tokens.expires_at > ? AND grants.expires_at > ?`,
    reference.hash,
    now,
    now,
  )[0];
  const grant = row && liveGrantOf(db, row);
  if (row === undefined || grant === undefined) return undefined;
  const refreshToken = JSON.parse(String(row.record)) as RefreshTokenRecord;
  if (row.rotated_at === null) return { refreshToken, grant };
  const [usedBy, sealedSuccessor] = [String(row.used_by), String(row.sealed_successor)];
  return { refreshToken, grant, use: { rotatedAt: Number(row.rotated_at), usedBy, sealedSuccessor } };
}

function markRotated(db: SqlDatabase, { reference, event, sealedSuccessor, now }: Rotation): void {
  db.run(
    "UPDATE refresh_tokens SET rotated_at = ?, used_by = ?, sealed_successor = ? WHERE hash = ?",
    now,
    event.id,
    sealedSuccessor,
    reference.hash,
  );
}

function insertRefreshToken(db: SqlDatabase, chainId: string, { reference, record }: NewRefreshToken): void {
  db.run(
    "INSERT INTO refresh_tokens (hash, chain_id, expires_at, record, schema) VALUES (?, ?, ?, ?, ?)",
    reference.hash,
    chainId,
    record.expiresAt,
    JSON.stringify(record),
    RECORD_SCHEMA,
  );
}

/** Of the consent that the chain rests on, with what its person is called: consents of before have no name. */
function noteUse(db: SqlDatabase, { subject, subjectName, clientId }: GrantRecord, now: number): void {
  db.run(
    `UPDATE consents SET last_used_at = ?, subject_name = coalesce(?, subject_name) WHERE subject = ? AND client_id = ?
     AND (last_used_at IS NULL OR last_used_at <= ?)`,
    now,
    subjectName ?? null,
    subject,
    clientId,
    now - USE_NOTED_EVERY,
  );
}

/** A JWT leaves nothing here. */
function insertAccessToken(db: SqlDatabase, stored: StoredToken | undefined): void {
  if (stored !== undefined) insertTokenOnce(db, stored);
}
