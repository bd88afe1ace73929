import type { AuditEvent } from "./audit-log.ts";

/** Where an opaque token lives: its shard, written in the token, and the hash that stands for it. */
export interface TokenReference {
  /** 0 to 255 (D24, `laneShard`). Stores without shards ignore it. */
  readonly shard: number;
  /** SHA-256 of the whole token text, base64url. The token itself is never stored. */
  readonly hash: string;
}

/** An access token as the store knows it. Times in milliseconds since the epoch. */
export interface TokenRecord {
  /** `tok_<ULID>`: names the token in audit records and tombstones. */
  readonly tokenId: string;
  /** The chain this token starts or belongs to (D24). */
  readonly chainId: string;
  readonly clientId: string;
  readonly organizationId: string;
  /** The key that signed the assertion which the token was issued for. */
  readonly keyPairId: string;
  readonly subject: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** A client assertion that passed every check of its own. */
export interface AssertionUse {
  /** The client's lane of this assertion, so that one `jti` always meets itself. */
  readonly shard: number;
  readonly clientId: string;
  readonly keyPairId: string;
  readonly now: number;
  /** Present when the assertion carried a `jti`. */
  readonly assertionId?: { readonly hash: string; readonly expiresAt: number };
}

export type TokenRefusal = {
  readonly outcome: "refused";
  readonly reason: "client_deleted" | "key_revoked" | "assertion_used";
};

/** The owner changed what the client is granted since its record was read: read it again and decide anew. */
export type GrantChanged = { readonly outcome: "grant_changed" };

export interface TokenIssue {
  readonly reference: TokenReference;
  readonly token: TokenRecord;
  /** Of the client record that the token's audience and scopes were decided on. */
  readonly grantRevision: number;
  /** Present when the assertion carried a `jti`: consumed in the same operation, only if the token is issued (D8). */
  readonly assertionId?: { readonly hash: string; readonly expiresAt: number };
  /** `token.issued`, durable together with the token. */
  readonly event: AuditEvent;
}

export type TokenIssueResult = { readonly outcome: "issued" } | GrantChanged | TokenRefusal;
export type AssertionUseResult = { readonly outcome: "accepted" } | TokenRefusal;

/** Access tokens. All operations are linearizable: a revocation that resolved is seen by every later call. */
export interface Tokens {
  /** Everything but `issued` leaves nothing behind: the assertion may be presented again. */
  issue(request: TokenIssue): Promise<TokenIssueResult>;
  /** What `issue` decides, for an assertion that asks for no token. One `jti` counts once over both. */
  acceptAssertion(use: AssertionUse): Promise<AssertionUseResult>;
  /** The token if it is known, unexpired at `now`, and neither it, its chain nor its client's tokens are revoked. */
  introspect(reference: TokenReference, now: number): Promise<TokenRecord | undefined>;
  /** Idempotent. Resolves to false when the token was unknown, expired or revoked already; then nothing is recorded. */
  revoke(reference: TokenReference, now: number, event: AuditEvent): Promise<boolean>;
}
