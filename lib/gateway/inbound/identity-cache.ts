import { sha256base64url } from "#sha256";
import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Identity } from "../identity.ts";
import type { UnverifiedJwt } from "./unverified-jwt.ts";

/** Identities of tokens that were found good, by the tokens' hashes. Refusals are never kept. */
export interface IdentityCache {
  /** @param basis what the token would be checked with now; what was checked with anything else is not known. */
  get(name: TokenName, basis?: object): Identity | undefined;
  /** What a token that was found good some time says of itself: nothing of it was checked now. */
  said(name: TokenName): UnverifiedJwt | undefined;
  /** @param until milliseconds since the epoch */
  put(name: TokenName, identity: Identity, until: number, checked?: CheckedJwt): void;
}

/** A JWT that was found good: what it says, and what it was checked with. */
export interface CheckedJwt {
  readonly said: UnverifiedJwt;
  readonly basis: object;
}

/** Names a token without being of use to whoever reads it. */
export type TokenName = string & { readonly TokenName: true };

export function tokenName(token: string): TokenName {
  return sha256base64url(token) as TokenName;
}

interface Entry {
  readonly identity: Identity;
  /** A clock that was set back ends what is kept: neither a start nor an end can be told by it. */
  readonly from: number;
  readonly until: number;
  readonly checked: CheckedJwt | undefined;
}

export function createIdentityCache(clock: Clock, capacity: number): IdentityCache {
  const entries = boundedCache<TokenName, Entry>(capacity);
  return {
    get(name, basis) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      const now = clock.now();
      if (entry.checked?.basis === basis && entry.from <= now && now < entry.until) return entry.identity;
      entries.delete(name);
      return undefined;
    },
    said: (name) => entries.get(name)?.checked?.said,
    put(name, identity, until, checked) {
      entries.put(name, { identity, from: clock.now(), until, checked });
    },
  };
}
