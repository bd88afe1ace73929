import type { AuditEvent } from "../audit-log.ts";
import type {
  AssertionUse,
  AssertionUseResult,
  TokenIssue,
  TokenIssueResult,
  TokenRecord,
  TokenReference,
} from "../tokens.ts";
import { tombstoneId } from "../tombstone.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";
import { consumeSingleUse } from "./single-use.ts";
import { addTombstones, firstTombstone } from "./tombstones.ts";

const ASSERTION_NAMESPACE = "client-assertion";

/** Refuses or records; a refusal leaves nothing behind (checklist 5). */
export function issueToken(db: SqlDatabase, consequences: Consequences, request: TokenIssue): TokenIssueResult {
  const { token, reference, event } = request;
  return db.transaction(() => {
    const acceptance = acceptAssertion(db, { ...token, assertionId: request.assertionId, now: token.issuedAt });
    if (acceptance.outcome === "refused") return acceptance;
    db.run(
      "INSERT INTO tokens (hash, expires_at, record, schema) VALUES (?, ?, ?, ?)",
      reference.hash,
      token.expiresAt,
      JSON.stringify(token),
      RECORD_SCHEMA,
    );
    consequences.event(event);
    return { outcome: "issued" };
  });
}

/** Marks the assertion as used, unless its client was deleted, its key revoked, or it was used before. */
export function acceptAssertion(
  db: SqlDatabase,
  use: Pick<AssertionUse, "clientId" | "keyPairId" | "now" | "assertionId">,
): AssertionUseResult {
  const { clientId, keyPairId, assertionId, now } = use;
  const client = tombstoneId.client(clientId);
  const dead = firstTombstone(db, [client, tombstoneId.key(keyPairId)]);
  if (dead !== undefined) return { outcome: "refused", reason: dead === client ? "client_deleted" : "key_revoked" };
  if (
    assertionId === undefined ||
    consumeSingleUse(db, ASSERTION_NAMESPACE, assertionId.hash, assertionId.expiresAt, now)
  ) {
    return { outcome: "accepted" };
  }
  return { outcome: "refused", reason: "assertion_used" };
}

export function introspectToken(db: SqlDatabase, reference: TokenReference, now: number): TokenRecord | undefined {
  const row = db.all("SELECT record FROM tokens WHERE hash = ? AND expires_at > ?", reference.hash, now)[0];
  if (row === undefined) return undefined;
  const token = JSON.parse(String(row.record)) as TokenRecord;
  const ids = [
    tombstoneId.token(token.tokenId),
    tombstoneId.chain(token.chainId),
    tombstoneId.clientTokens(token.clientId),
  ];
  return firstTombstone(db, ids) === undefined ? token : undefined;
}

/** Leaves a tombstone on the token until it would have expired. False when it was not active. */
export function revokeToken(
  db: SqlDatabase,
  consequences: Consequences,
  reference: TokenReference,
  now: number,
  event: AuditEvent,
): boolean {
  return db.transaction(() => {
    const token = introspectToken(db, reference, now);
    if (token === undefined) return false;
    addTombstones(db, [{ id: tombstoneId.token(token.tokenId), expiresAt: token.expiresAt }]);
    consequences.event(event);
    return true;
  });
}
