import { boundedMap } from "../../bounded-map.ts";
import type { Clock } from "../../clock.ts";
import { sha256base64url } from "../../encoding.ts";
import type { Identity } from "../identity.ts";

/** Identities of tokens that were found good, by the tokens' hashes. Refusals are never kept. */
export interface IdentityCache {
  /** @param basis what the token would be checked with now; what was checked with anything else is not known. */
  get(name: TokenName, basis?: object): Identity | undefined;
  /** @param until milliseconds since the epoch */
  put(name: TokenName, identity: Identity, until: number, basis?: object): void;
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
  readonly basis: object | undefined;
}

export function createIdentityCache(clock: Clock, capacity: number): IdentityCache {
  const entries = boundedMap<TokenName, Entry>(capacity);
  return {
    get(name, basis) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      const now = clock.now();
      if (entry.basis === basis && entry.from <= now && now < entry.until) return entry.identity;
      entries.delete(name);
      return undefined;
    },
    put(name, identity, until, basis) {
      entries.put(name, { identity, from: clock.now(), until, basis });
    },
  };
}
