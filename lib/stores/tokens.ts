import type { JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
import type { Lineage } from "./lineage.ts";
import { once, type Port, read, write } from "./operations.ts";
import type { StoppableRecord } from "./stop-subjects.ts";

/** Where a stored token lives: its shard, written in the token, and the hash that stands for it. */
export interface TokenReference {
  /** 0 to 255 (D24, `laneShard`). Stores without shards ignore it. */
  readonly shard: number;
  /** SHA-256 of the whole token text, base64url. The token itself is never stored. */
  readonly hash: string;
}

/**
 * An access token as the store knows it, or as the claims of one of our JWTs tell it. Times in milliseconds since the
 * epoch. An API client's own token has no `consentId`, `apiClientId` or `ancestors`: its `clientId` began its chain.
 */
export interface TokenRecord extends Lineage {
  /** `tok_<ULID>`: names the token in audit records and tombstones. */
  readonly tokenId: string;
  /** Whom it was issued to. */
  readonly clientId: string;
  /** What the client was called then, for audit records. JWTs do not say. */
  readonly clientName?: string;
  /** The organization of the client; absent where none is known. */
  readonly organizationId?: string;
  /** The key that signed the assertion which the token was issued for; absent on tokens of people and exchanges. */
  readonly keyPairId?: string;
  /** The person, or the client itself. */
  readonly subject: string;
  /** What the person was called at the sign-in, for audit records. JWTs do not say. */
  readonly subjectName?: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** `user_…`: who tries tools with it in the Console; absent on all other tokens. */
  readonly trialBy?: string;
  /** What else it says: `act`, `may_act`, `auth_time`, `acr`, `amr` and mapped claims; never a registered claim above. */
  readonly claims?: JsonObject;
}

/** The token of an API client for itself, as `issue` takes it. */
export type ApiClientToken = TokenRecord & { readonly keyPairId: string; readonly organizationId: string };

/** A token to be stored: an opaque one, or a JWT that does not tell its lineage. */
export interface StoredToken {
  readonly reference: TokenReference;
  readonly token: TokenRecord;
}

/** A token that comes out of others of its chain. */
export interface TokenExchange {
  /** The new one. It is refused when anything of its lineage is ended. */
  readonly token: TokenRecord;
  /** What the subject token was: the new one is refused when anything of that is stopped. Absent: it is not kept apart. */
  readonly subject?: StoppableRecord;
  /** Present when the token is stored; its shard is that of the chain. Most JWTs leave nothing but their event. */
  readonly reference?: TokenReference;
  /** `token.exchanged` or `token.impersonated`, durable together with the token. */
  readonly event: AuditEvent;
}

/** What is to be ended, with everything that descends from it. */
export interface Ending {
  readonly what: "token" | "chain";
  readonly lineage: Lineage;
  /** When nothing that descends from it can be alive any more. */
  readonly expiresAt: number;
  /** `token.revoked`. */
  readonly event: AuditEvent;
}

/** A client assertion that passed every check of its own. */
export interface AssertionUse {
  /** The client's lane of this assertion, so that one `jti` always meets itself. */
  readonly shard: number;
  readonly clientId: string;
  readonly keyPairId: string;
  readonly organizationId?: string;
  readonly now: number;
  /** Present when the assertion carried a `jti`. */
  readonly assertionId?: { readonly hash: string; readonly expiresAt: number };
}

export type TokenRefusal = {
  readonly outcome: "refused";
  readonly reason: "client_deleted" | "key_revoked" | "stopped" | "assertion_used";
};

/** The owner changed what the client is granted since its record was read: read it again and decide anew. */
export type GrantChanged = { readonly outcome: "grant_changed" };

export interface TokenIssue {
  readonly reference: TokenReference;
  readonly token: ApiClientToken;
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
export const TOKENS = {
  /** Everything but `issued` leaves nothing behind: the assertion may be presented again. */
  issue: write<(request: TokenIssue) => TokenIssueResult>(),
  /** What `issue` decides, for an assertion that asks for no token. One `jti` counts once over both. */
  acceptAssertion: once<(use: AssertionUse) => AssertionUseResult>(),
  /** The token if it is known, unexpired at `now`, and nothing of its lineage nor its client's tokens are revoked. */
  introspect: read<(reference: TokenReference, now: number) => TokenRecord | undefined>(),
  /** Idempotent. Resolves to false when the token was unknown, expired or revoked already; then nothing is recorded. */
  revoke: write<(reference: TokenReference, now: number, event: AuditEvent) => boolean>(),
  /** Resolves to false, and leaves nothing behind, when anything of the token's lineage is ended. */
  exchange: write<(request: TokenExchange) => boolean>(),
  /** Whether nothing of it is ended: for tokens that are not stored. */
  isLive: read<(lineage: Lineage) => boolean>(),
  /** Idempotent. Resolves to false, and records nothing, when it was ended already. */
  end: write<(ending: Ending) => boolean>(),
};

export type Tokens = Port<typeof TOKENS>;
