import { EXPIRY_MARGIN } from "../expiry-margin.ts";
import type { SqlDatabase } from "./database.ts";

/** Deletes at most `limit` rows a table of the registry that expired before the margin. True when there may be more. */
export function cleanRegistry(db: SqlDatabase, now: number, limit: number): boolean {
  return clean(db, REGISTRY_STATEMENTS, now, limit);
}

/** Deletes at most `limit` rows a table of a token shard that expired before the margin. True when there may be more. */
export function cleanTokenShard(db: SqlDatabase, now: number, limit: number): boolean {
  return clean(db, TOKEN_SHARD_STATEMENTS, now, limit);
}

const REGISTRY_STATEMENTS = [
  `DELETE FROM sign_in_links WHERE secret_hash IN
     (SELECT secret_hash FROM sign_in_links WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
  `DELETE FROM browser_sessions WHERE session_hash IN
     (SELECT session_hash FROM browser_sessions WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
  `DELETE FROM invitations WHERE secret_hash IN
     (SELECT secret_hash FROM invitations WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
];

/** Tables of the registry whose rows expire. */
export const EXPIRING_IN_REGISTRY: readonly string[] = ["sign_in_links", "browser_sessions", "invitations"];

const TOKEN_SHARD_STATEMENTS = [
  "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= ? LIMIT ?) RETURNING 1",
  `DELETE FROM single_use WHERE (namespace, key) IN
     (SELECT namespace, key FROM single_use WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
  "DELETE FROM tombstones WHERE id IN (SELECT id FROM tombstones WHERE expires_at <= ? LIMIT ?) RETURNING 1",
  `DELETE FROM interactions WHERE interaction_hash IN
     (SELECT interaction_hash FROM interactions WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
  `DELETE FROM authorization_codes WHERE hash IN
     (SELECT hash FROM authorization_codes WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
  `DELETE FROM refresh_tokens WHERE hash IN
     (SELECT hash FROM refresh_tokens WHERE expires_at <= ? LIMIT ?) RETURNING 1`,
  "DELETE FROM limits WHERE key IN (SELECT key FROM limits WHERE expires_at <= ? LIMIT ?) RETURNING 1",
  `DELETE FROM approvals WHERE approval_id IN
     (SELECT approval_id FROM approvals WHERE expires_at <= ? AND state NOT IN ('pending', 'approved') LIMIT ?) RETURNING 1`,
  "DELETE FROM grants WHERE chain_id IN (SELECT chain_id FROM grants WHERE expires_at <= ? LIMIT ?) RETURNING 1",
];

/** Tables of a token shard whose rows expire. Consents stay, and so do registered clients. */
export const EXPIRING_IN_TOKEN_SHARD: readonly string[] = [
  "tokens",
  "single_use",
  "tombstones",
  "interactions",
  "authorization_codes",
  "refresh_tokens",
  "grants",
  "limits",
  "approvals",
];

function clean(db: SqlDatabase, statements: readonly string[], now: number, limit: number): boolean {
  const deleted = statements.map((statement) => db.all(statement, now - EXPIRY_MARGIN, limit).length);
  return deleted.some((count) => count === limit);
}
