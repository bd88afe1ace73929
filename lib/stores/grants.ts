import type { JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
import { EXPIRY_MARGIN } from "./expiry-margin.ts";
import { once, type Port, read, write } from "./operations.ts";
import { cursorOf, type Page, type PageRequest } from "./paging.ts";
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
  /** What the person was called when they last signed in for the client; absent where that is not for its organization (D270). */
  readonly subjectName?: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Audiences of tokens. */
  readonly resources: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the client last got a token that rests on it; written at most once in `USE_NOTED_EVERY`, absent before the first. */
  readonly lastUsedAt?: number;
}

/** Clients of consents: these, or all but these. */
export interface ConsentClients {
  readonly isAllBut: boolean;
  readonly clients: readonly string[];
}

/** Milliseconds. */
export const USE_NOTED_EVERY = 3_600_000;

/** What a code or refresh token stands for: the start of a chain (D24). Never changes. */
export interface GrantRecord {
  /** Its shard is `grantShard(subject, clientId)`, which the chain's codes, tokens and tombstones share with the consent. */
  readonly chainId: string;
  readonly consentId: string;
  readonly clientId: string;
  readonly organizationId?: string;
  /** The person. */
  readonly subject: string;
  /** What the person was called at the sign-in; absent where that is not for the client's organization (D270). */
  readonly subjectName?: string;
  /** `user_…`: the same in the directory, where the account was linked. */
  readonly memberId?: string;
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
export const GRANTS = {
  begin: write<(interaction: InteractionRecord) => void>(),
  /** Unexpired at `now`. */
  interaction: read<(interactionHash: string, now: number) => InteractionRecord | undefined>(),
  /** Puts the next step in place of the one before it (`revision` less 1). False when that one is not there any more. */
  advance: once<(next: InteractionRecord, now: number) => boolean>(),
  /** Takes it away at this revision: true for exactly one caller. */
  finish: once<(interactionHash: string, revision: number, now: number) => boolean>(),

  consent: read<(subject: string, clientId: string) => ConsentRecord | undefined>(),
  /**
   * Keeps a consent; where the person gave the client one before, that one keeps its id and is widened, or the newer one
   * takes its place (`widenedConsent`). Resolves to what is kept; records the event only when something changed.
   */
  giveConsent: write<(consent: ConsentRecord, event: AuditEvent) => ConsentRecord>(),
  /** Ends the consent with every chain that rests on it. False, and nothing is recorded, when there is none. */
  revokeConsent: write<(subject: string, clientId: string, event: AuditEvent) => boolean>(),
  /** All that these people gave, in no order that means something. */
  consentsOf: read<(subjects: readonly string[]) => readonly ConsentRecord[]>(),
  /** What everybody gave to some clients, in no order that means something. A page may be short, or empty, and not the last. */
  consentsTo: read<(to: ConsentClients, page: PageRequest) => Page<ConsentRecord>>(),

  /** Of a live chain that a person started; undefined when it is unknown or expired, or it or its consent is ended. */
  grant: read<(chainId: string, now: number) => GrantRecord | undefined>(),
  /** Starts a chain with its code. False when the consent is ended. */
  start: write<(grant: GrantRecord, code: AuthorizationCodeRecord, reference: TokenReference) => boolean>(),
  /**
   * Undefined when it is unknown or expired, or its chain or consent is ended. A used one expires later than an unused one,
   * by `EXPIRY_MARGIN`.
   */
  code: read<(reference: TokenReference, now: number) => FoundCode | undefined>(),
  /** Exactly one redemption of a code is `redeemed`; each further one ends the chain for as long as the code is known. */
  redeem: write<(redemption: CodeRedemption) => RedemptionResult>(),
  /** Undefined when it is unknown or expired, or its chain or consent is ended. */
  refreshToken: read<(reference: TokenReference, now: number) => FoundRefreshToken | undefined>(),
  rotate: write<(rotation: Rotation) => RotationResult>(),
};

export type Grants = Port<typeof GRANTS>;

/** Where the list of what everybody gave goes on: it is in this order on every engine that has it in one place. */
export function consentCursor({ subject, clientId }: ConsentRecord): string {
  return cursorOf([subject, clientId]);
}

/**
 * Whether a code is known at `now`, redeemable or used. A used one is longer than it could be redeemed, so that whoever
 * presents it later ends the chain (RFC 6749 §4.1.2): for the margin that every store keeps it beyond its expiry anyhow.
 */
export function isKnownCode({ expiresAt }: { readonly expiresAt: number }, isUsed: boolean, now: number): boolean {
  return now < (isUsed ? expiresAt + EXPIRY_MARGIN : expiresAt);
}

/**
 * What giving a consent makes of the one that is there, with its id. It allows each of its scopes at each of its resources,
 * so it is widened only where all of that was allowed; otherwise the newer one stands, and the person is asked again for the
 * older. Undefined when it allows all of the newer one already.
 */
export function widenedConsent(kept: ConsentRecord, given: ConsentRecord): ConsentRecord | undefined {
  const isSameScopes = contains(kept.scopes, given.scopes) && contains(given.scopes, kept.scopes);
  const isSameResources = contains(kept.resources, given.resources) && contains(given.resources, kept.resources);
  if (contains(kept.scopes, given.scopes) && contains(kept.resources, given.resources)) return undefined;
  return {
    ...kept,
    ...(given.subjectName !== undefined && { subjectName: given.subjectName }),
    scopes: isSameResources ? union(kept.scopes, given.scopes) : given.scopes,
    resources: isSameScopes ? union(kept.resources, given.resources) : given.resources,
    updatedAt: given.updatedAt,
  };
}

function contains(all: readonly string[], some: readonly string[]): boolean {
  return some.every((one) => all.includes(one));
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
