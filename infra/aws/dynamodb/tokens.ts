import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type {
  AssertionUse,
  AssertionUseResult,
  TokenIssue,
  TokenIssueResult,
  TokenRecord,
  TokenReference,
  TokenRefusal,
  Tokens,
} from "../../../lib/stores/tokens.ts";
import { endsOf, tombstoneId } from "../../../lib/stores/tombstone.ts";
import type { AuditWriter } from "./audit-writer.ts";
import { end, exchange, isLive } from "./chains.ts";
import type { Database } from "./database.ts";
import { toItem } from "./items.ts";
import { assertionKey } from "./keys.ts";
import { consume, unlessUsed } from "./single-use.ts";
import { readToken, tokenPut } from "./token-items.ts";
import { readTombstones, STOPPED, tombstoneWrite } from "./tombstones.ts";
import { transact } from "./writes.ts";

/** Access tokens in the records table. */
export function dynamoTokens(database: Database, audit: AuditWriter): Tokens {
  return {
    issue: (request) => issue(database, audit, request),
    acceptAssertion: (use) => acceptAssertion(database, use),
    introspect: (reference, now) => introspect(database, reference, now),
    revoke: (reference, now, event) => revoke(database, audit, reference, now, event),
    exchange: (request) => exchange(database, audit, request),
    isLive: (lineage) => isLive(database, lineage),
    end: (ending) => end(database, audit, ending),
  };
}

/**
 * Consistent reads of the client's, the key's and the grants' tombstones, then one transaction. The issue linearizes at the reads: a
 * revocation that resolved before it is seen. The transaction holds only items of this one request; a condition check on
 * the client in it would make a busy client's requests conflict with each other.
 */
async function issue(database: Database, audit: AuditWriter, request: TokenIssue): Promise<TokenIssueResult> {
  const { clientId, keyPairId } = request.token;
  const grant = tombstoneId.grant(clientId, request.grantRevision);
  const [ended, event] = await Promise.all([
    readTombstones(database, [...tombstonesOf(clientId, keyPairId), grant], request.token),
    audit.write(request.event),
  ]);
  const refusal = refusalBy(ended, clientId, keyPairId);
  if (refusal !== undefined) return refusal;
  if (ended.has(grant)) return { outcome: "grant_changed" };
  const failed = await transact(database, {
    assertion: assertionWrite(database, request.assertionId, request.token.issuedAt),
    token: tokenPut(database, request),
    event,
  });
  if (failed.has("assertion")) return ASSERTION_USED;
  if (failed.size > 0) throw new Error("a token with the same hash exists");
  return { outcome: "issued" };
}

/** Linearizes like `issue`, and takes the same item for the assertion's id. */
async function acceptAssertion(database: Database, use: AssertionUse): Promise<AssertionUseResult> {
  const { clientId, keyPairId, organizationId, assertionId, now } = use;
  const of = { clientId, keyPairId, issuedAt: now, ...(organizationId !== undefined && { organizationId }) };
  const ended = await readTombstones(database, tombstonesOf(clientId, keyPairId), of);
  const refusal = refusalBy(ended, clientId, keyPairId);
  if (refusal !== undefined) return refusal;
  const accepted =
    assertionId === undefined || (await consume(database, assertionKey(assertionId.hash), assertionId.expiresAt, now));
  return accepted ? { outcome: "accepted" } : ASSERTION_USED;
}

const ASSERTION_USED: TokenRefusal = { outcome: "refused", reason: "assertion_used" };

/** Of a deleted client and of a revoked key. */
function tombstonesOf(clientId: string, keyPairId: string): readonly string[] {
  return [tombstoneId.client(clientId), tombstoneId.key(keyPairId)];
}

function refusalBy(ended: ReadonlySet<string>, clientId: string, keyPairId: string): TokenRefusal | undefined {
  if (ended.has(tombstoneId.client(clientId))) return { outcome: "refused", reason: "client_deleted" };
  if (ended.has(tombstoneId.key(keyPairId))) return { outcome: "refused", reason: "key_revoked" };
  return ended.has(STOPPED) ? { outcome: "refused", reason: "stopped" } : undefined;
}

function assertionWrite(
  database: Database,
  assertionId: AssertionUse["assertionId"],
  now: number,
): TransactWriteItem | undefined {
  if (assertionId === undefined) return undefined;
  const { hash, expiresAt } = assertionId;
  return {
    Put: {
      TableName: database.tables.records,
      Item: toItem(assertionKey(hash), { expiresAt }, expiresAt),
      ...unlessUsed(now),
    },
  };
}

async function introspect(
  database: Database,
  reference: TokenReference,
  now: number,
): Promise<TokenRecord | undefined> {
  const token = await readToken(database, reference, now);
  if (token === undefined) return undefined;
  const ended = await readTombstones(database, [...endsOf(token), tombstoneId.clientTokens(token.clientId)], token);
  return ended.size === 0 ? token : undefined;
}

async function revoke(
  database: Database,
  audit: AuditWriter,
  reference: TokenReference,
  now: number,
  event: AuditEvent,
): Promise<boolean> {
  const token = await introspect(database, reference, now);
  if (token === undefined) return false;
  const failed = await transact(database, {
    tombstone: tombstoneWrite(
      database,
      { id: tombstoneId.token(token.tokenId), expiresAt: token.expiresAt },
      { unlessPresent: true },
    ),
    event: await audit.write(event),
  });
  return failed.size === 0;
}
