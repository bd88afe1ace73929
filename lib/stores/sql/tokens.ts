import type { AuditEvent } from "../audit-log.ts";
import type { Lineage } from "../lineage.ts";
import type {
  AssertionUse,
  AssertionUseResult,
  Ending,
  StoredToken,
  TOKENS,
  TokenExchange,
  TokenIssue,
  TokenIssueResult,
  TokenRecord,
  TokenReference,
  TokenRefusal,
} from "../tokens.ts";
import { endedBy, endsOf, tombstoneId, tombstoneOf } from "../tombstone.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { change, type Effects, latest, type SqlOperations, write } from "./operations.ts";
import { consumeSingleUse } from "./single-use.ts";
import { isStopped } from "./stops.ts";
import { addTombstones, firstTombstone } from "./tombstones.ts";

/** Reads are decided by their last statement: a token never changes, and a tombstone never goes while it matters. */
export const sqlTokens: SqlOperations<typeof TOKENS> = {
  issue: change(issueToken, ({ outcome }) => outcome === "issued"),
  acceptAssertion: write(acceptAssertion),
  introspect: latest(introspectToken),
  revoke: change(revokeToken, (isRevoked) => isRevoked),
  exchange: change(exchangeToken, (isExchanged) => isExchanged),
  isLive: latest(isLive),
  end: change(endLineage, (isEnded) => isEnded),
};

const ASSERTION_NAMESPACE = "client-assertion";

/** Records, or leaves nothing behind (checklist 5). */
export function issueToken(db: SqlDatabase, effects: Effects, request: TokenIssue): TokenIssueResult {
  const { token, reference, event, grantRevision, assertionId } = request;
  return db.transaction(() => {
    const { clientId, keyPairId, issuedAt } = token;
    const dead = firstTombstone(db, [
      tombstoneId.client(clientId),
      tombstoneId.key(keyPairId),
      tombstoneId.grant(clientId, grantRevision),
    ]);
    if (dead === tombstoneId.grant(clientId, grantRevision)) return { outcome: "grant_changed" };
    if (dead !== undefined) return refusalBy(dead, clientId);
    if (isStopped(db, token)) return STOPPED;
    if (!consumeAssertion(db, assertionId, issuedAt)) return ASSERTION_USED;
    insertToken(db, { reference, token });
    effects.event(event);
    return { outcome: "issued" };
  });
}

/** Marks the assertion as used, unless its client was deleted, its key revoked, or it was used before. */
export function acceptAssertion(
  db: SqlDatabase,
  { clientId, keyPairId, organizationId, assertionId, now }: Omit<AssertionUse, "shard">,
): AssertionUseResult {
  const dead = firstTombstone(db, [tombstoneId.client(clientId), tombstoneId.key(keyPairId)]);
  if (dead !== undefined) return refusalBy(dead, clientId);
  if (isStopped(db, { clientId, keyPairId, ...(organizationId !== undefined && { organizationId }), issuedAt: now }))
    return STOPPED;
  return consumeAssertion(db, assertionId, now) ? { outcome: "accepted" } : ASSERTION_USED;
}

/** By the tombstone of a client or a key. */
function refusalBy(dead: string, clientId: string): TokenRefusal {
  return { outcome: "refused", reason: dead === tombstoneId.client(clientId) ? "client_deleted" : "key_revoked" };
}

/** False when it was used before. An assertion without an id may be used again. */
function consumeAssertion(db: SqlDatabase, assertionId: AssertionUse["assertionId"], now: number): boolean {
  if (assertionId === undefined) return true;
  return consumeSingleUse(db, ASSERTION_NAMESPACE, assertionId.hash, assertionId.expiresAt, now);
}

const ASSERTION_USED: TokenRefusal = { outcome: "refused", reason: "assertion_used" };
const STOPPED: TokenRefusal = { outcome: "refused", reason: "stopped" };

export function introspectToken(db: SqlDatabase, reference: TokenReference, now: number): TokenRecord | undefined {
  const row = db.all("SELECT record FROM tokens WHERE hash = ? AND expires_at > ?", reference.hash, now)[0];
  if (row === undefined) return undefined;
  const token = JSON.parse(String(row.record)) as TokenRecord;
  const ids = [...endsOf(token), tombstoneId.clientTokens(token.clientId)];
  return firstTombstone(db, ids) === undefined && !isStopped(db, token) ? token : undefined;
}

/** Leaves a tombstone on the token until it would have expired. False when it was not active. */
export function revokeToken(
  db: SqlDatabase,
  effects: Effects,
  reference: TokenReference,
  now: number,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const token = introspectToken(db, reference, now);
    if (token === undefined) return false;
    addTombstones(db, [{ id: tombstoneId.token(token.tokenId), expiresAt: token.expiresAt }]);
    effects.event(event);
    return true;
  });
}

/** Records, or leaves nothing behind. Twice the same token is one: who lost the answer may ask again. */
export function exchangeToken(db: SqlDatabase, effects: Effects, request: TokenExchange): boolean {
  const { token, subject, reference, event } = request;
  return db.transaction(() => {
    if (!isLive(db, token) || isStopped(db, subject ?? {})) return false;
    if (reference !== undefined) insertTokenOnce(db, { reference, token });
    effects.event(event);
    return true;
  });
}

export function isLive(db: SqlDatabase, lineage: Lineage): boolean {
  return firstTombstone(db, endsOf(lineage)) === undefined && !isStopped(db, lineage);
}

/** Leaves a tombstone on the token or the chain. False when it was ended already. */
function endLineage(db: SqlDatabase, effects: Effects, ending: Ending): boolean {
  return db.transaction(() => {
    if (firstTombstone(db, endedBy(ending)) !== undefined) return false;
    addTombstones(db, [tombstoneOf(ending)]);
    effects.event(ending.event);
    return true;
  });
}

/** Both the hash and the id are of random bits that only the token's own request has. */
export function insertTokenOnce(db: SqlDatabase, stored: StoredToken): void {
  const [known] = db.all(
    "SELECT json_extract(record, '$.tokenId') AS id FROM tokens WHERE hash = ?",
    stored.reference.hash,
  );
  if (known?.id !== stored.token.tokenId) insertToken(db, stored);
}

function insertToken(db: SqlDatabase, { reference, token }: StoredToken): void {
  db.run(
    "INSERT INTO tokens (hash, expires_at, record, schema) VALUES (?, ?, ?, ?)",
    reference.hash,
    token.expiresAt,
    JSON.stringify(token),
    RECORD_SCHEMA,
  );
}
