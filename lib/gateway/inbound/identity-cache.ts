import { boundedMap } from "../../bounded-map.ts";
import type { Clock } from "../../clock.ts";
import type { Identity } from "../identity.ts";

const LIFETIME = 5_000;
const CAPACITY = 1_000;

/** Identities by the hash of their token, for a few seconds and never past their expiry. */
export function createIdentityCache(clock: Clock) {
  const entries = boundedMap<string, { readonly identity: Identity; readonly until: number }>(CAPACITY);
  return {
    get(name: string): Identity | undefined {
      const entry = entries.get(name);
      return entry !== undefined && clock.now() < entry.until ? entry.identity : undefined;
    },
    put(name: string, identity: Identity): void {
      entries.put(name, { identity, until: Math.min(clock.now() + LIFETIME, identity.expiresAt) });
    },
  };
}
