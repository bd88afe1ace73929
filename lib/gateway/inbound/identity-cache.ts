import type { Clock } from "../../clock.ts";
import type { Identity } from "../identity.ts";

const LIFETIME = 5_000;
const MAX_ENTRIES = 1_000;

/** Identities by the hash of their token, for a few seconds. */
export function createIdentityCache(clock: Clock) {
  const entries = new Map<string, { readonly identity: Identity; readonly until: number }>();
  return {
    get(name: string): Identity | undefined {
      const entry = entries.get(name);
      if (entry === undefined || clock.now() < entry.until) return entry?.identity;
      entries.delete(name);
      return undefined;
    },
    put(name: string, identity: Identity): void {
      if (entries.size >= MAX_ENTRIES) forgetOldest(entries);
      entries.set(name, { identity, until: Math.min(clock.now() + LIFETIME, identity.expiresAt) });
    },
  };
}

function forgetOldest(entries: Map<string, unknown>): void {
  const oldest = entries.keys().next().value;
  if (oldest !== undefined) entries.delete(oldest);
}
