import type {
  CodeRedemption,
  FoundRefreshToken,
  NewRefreshToken,
  RedemptionResult,
  RefreshTokenRecord,
  Rotation,
  RotationResult,
} from "../grants.ts";
import type { StoredToken, TokenReference } from "../tokens.ts";
import { endChain, findCode, liveGrantOf } from "./chains.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { insertTokenOnce } from "./tokens.ts";

/** A redemption is known by its event: one that comes again, its answer lost, is answered as the first time. */
export function redeemCode(db: SqlDatabase, consequences: Consequences, request: CodeRedemption): RedemptionResult {
  const { reference, refreshToken, event } = request;
  return db.transaction(() => {
    const found = findCode(db, reference, request.now);
    if (found === undefined) return "ended";
    if (found.usedBy === event.id) return "redeemed";
    if (found.usedBy !== undefined) {
      endChain(db, consequences, found.grant, request.reuseEvent);
      return "reused";
    }
    db.run("UPDATE authorization_codes SET used_by = ? WHERE hash = ?", event.id, reference.hash);
    if (refreshToken !== undefined) insertRefreshToken(db, found.grant.chainId, refreshToken);
    insertAccessToken(db, request.accessToken);
    consequences.event(event);
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
export function rotateRefreshToken(db: SqlDatabase, consequences: Consequences, request: Rotation): RotationResult {
  const { reference, successor, event, now } = request;
  return db.transaction(() => {
    const found = findRefreshToken(db, reference, now);
    if (found === undefined) return { outcome: "ended" };
    const { grant, use } = found;
    if (use?.usedBy === event.id) return { outcome: "rotated" };
    if (use !== undefined && now - use.rotatedAt >= request.grace) {
      endChain(db, consequences, grant, request.reuseEvent);
      return { outcome: "reused" };
    }
    if (use === undefined) {
      markRotated(db, request);
      insertRefreshToken(db, grant.chainId, successor);
    }
    insertAccessToken(db, request.accessToken);
    consequences.event(event);
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

/** A JWT leaves nothing here. */
function insertAccessToken(db: SqlDatabase, stored: StoredToken | undefined): void {
  if (stored !== undefined) insertTokenOnce(db, stored);
}
