import type { JsonObject } from "../json.ts";
import type { AuditEvent } from "./audit-log.ts";
import type { StoredToken, TokenReference } from "./tokens.ts";

/**
 * An authorization request on its way through consent and sign-in. What it holds is the domain's own; stores keep it as it
 * is. Times in milliseconds since the epoch.
 */
export interface InteractionRecord {
  /** SHA-256 of the secret that names it in pages and at the connector (`state`), base64url. */
  readonly interactionHash: string;
  /** Grows by one with each step, from 1. */
  readonly revision: number;
  readonly content: JsonObject;
  readonly expiresAt: number;
}

/** What a person allowed a client; the link between the two, kept per person and client. */
export interface ConsentRecord {
  /** `consent_<ULID>`. */
  readonly consentId: string;
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Audiences of tokens. */
  readonly resources: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a code or refresh token stands for: the start of a chain (D24). Never changes. */
export interface GrantRecord {
  /** Its shard is `grantShard(subject, clientId)`, which the chain's codes, tokens and tombstones share with the consent. */
  readonly chainId: string;
  readonly consentId: string;
  readonly clientId: string;
  readonly organizationId?: string;
  /** The person. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** Audiences that access tokens may be asked for; the first unless another is named. */
  readonly resources: readonly string[];
  /** What tokens, ID tokens and userinfo say of person and sign-in; mapped already. */
  readonly claims: JsonObject;
  readonly createdAt: number;
  /** Nothing of the chain outlives it. */
  readonly expiresAt: number;
}

/** RFC 6749 §4.1.2. */
export interface AuthorizationCodeRecord {
  readonly redirectURL: string;
  /** Whether the request named the redirect, which the token request then must (RFC 6749 §4.1.3). */
  readonly namedRedirect: boolean;
  /** S256 (RFC 7636 §4.2). */
  readonly codeChallenge: string;
  /** Of the request (OpenID Connect Core 1.0 §3.1.2.1). */
  readonly nonce?: string;
  readonly expiresAt: number;
}

export interface FoundCode {
  readonly code: AuthorizationCodeRecord;
  readonly grant: GrantRecord;
  /** It brought tokens already. */
  readonly isUsed: boolean;
}

/** One member of the family of refresh tokens of a chain. */
export interface RefreshTokenRecord {
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

export interface FoundRefreshToken {
  readonly refreshToken: RefreshTokenRecord;
  readonly grant: GrantRecord;
  /** When its successor was issued; absent: it is the newest. */
  readonly rotatedAt?: number;
}

export interface NewRefreshToken {
  readonly reference: TokenReference;
  readonly record: RefreshTokenRecord;
}

/** What comes of a code or refresh token, all of it or nothing. */
export interface Issued {
  /** Present when the access token is opaque. */
  readonly accessToken?: StoredToken;
  /** `token.issued`, durable together with the rest. */
  readonly event: AuditEvent;
  /** `token.revoked`, recorded instead when the value was used before and the chain is ended for it. */
  readonly reuseEvent: AuditEvent;
  readonly now: number;
}

export interface CodeRedemption extends Issued {
  readonly reference: TokenReference;
  readonly refreshToken?: NewRefreshToken;
}

export interface Rotation extends Issued {
  readonly reference: TokenReference;
  readonly successor: NewRefreshToken;
  /** The successor's text, encrypted under a key that only the text of the old token gives. */
  readonly sealedSuccessor: string;
  /** Milliseconds after the rotation in which the old token gets the same successor again. */
  readonly grace: number;
}

/**
 * `reused`: it had been used before, and the chain is ended now. `ended`: it is unknown or expired, or its chain or consent
 * is ended.
 */
export type RedemptionResult = "redeemed" | "reused" | "ended";

export type RotationResult =
  | { readonly outcome: "rotated" }
  /** Within the grace. The access token is issued; the successor in the request is not, the earlier one is given again. */
  | { readonly outcome: "repeated"; readonly sealedSuccessor: string }
  | { readonly outcome: "reused" | "ended" };

/** Sign-ins under way, consents, and the chains that people start. Linearizable. */
export interface Grants {
  begin(interaction: InteractionRecord): Promise<void>;
  /** Unexpired at `now`. */
  interaction(interactionHash: string, now: number): Promise<InteractionRecord | undefined>;
  /** Puts the next step in place of the one before it (`revision` less 1). False when that one is not there any more. */
  advance(next: InteractionRecord, now: number): Promise<boolean>;
  /** Takes it away at this revision: true for exactly one caller. */
  finish(interactionHash: string, revision: number, now: number): Promise<boolean>;

  consent(subject: string, clientId: string): Promise<ConsentRecord | undefined>;
  /**
   * Keeps a consent; where the person gave the client one before, that one keeps its id and is widened, or the newer one
   * takes its place (`widenedConsent`). Resolves to what is kept; records the event only when something changed.
   */
  giveConsent(consent: ConsentRecord, event: AuditEvent): Promise<ConsentRecord>;
  /** Ends the consent with every chain that rests on it. False, and nothing is recorded, when there is none. */
  revokeConsent(subject: string, clientId: string, event: AuditEvent): Promise<boolean>;

  /** Of a live chain that a person started; undefined when it is unknown or expired, or it or its consent is ended. */
  grant(chainId: string, now: number): Promise<GrantRecord | undefined>;
  /** Starts a chain with its code. False when the consent is ended. */
  start(grant: GrantRecord, code: AuthorizationCodeRecord, reference: TokenReference): Promise<boolean>;
  /**
   * Undefined when it is unknown or expired, or its chain or consent is ended. A used one expires later than an unused one,
   * by `EXPIRY_MARGIN`.
   */
  code(reference: TokenReference, now: number): Promise<FoundCode | undefined>;
  /** Exactly one redemption of a code is `redeemed`; each further one ends the chain for as long as the code is known. */
  redeem(redemption: CodeRedemption): Promise<RedemptionResult>;
  /** Undefined when it is unknown or expired, or its chain or consent is ended. */
  refreshToken(reference: TokenReference, now: number): Promise<FoundRefreshToken | undefined>;
  rotate(rotation: Rotation): Promise<RotationResult>;
}
