import type { Clock } from "../clock.ts";

/**
 * Bounds authoritative re-reads of API client records. A re-read must be allowed by the source's own budget first, then
 * by the client's, so that forged assertions from one address use up that address before they touch the client they
 * name (checklist 7).
 */
export interface RereadBudget {
  allow(clientId: string, source: string | undefined): boolean;
}

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** Re-reads a source may cause in a row, and how many it earns back a second. */
const SOURCE_LIMIT = { capacity: 10, perSecond: 1 };
const CLIENT_LIMIT = { capacity: 60, perSecond: 5 };
const MAX_BUCKETS = 10_000;

export function createRereadBudget(clock: Clock): RereadBudget {
  const sources = new Map<string, Bucket>();
  const clients = new Map<string, Bucket>();
  return {
    allow: (clientId, source) =>
      take(sources, source ?? "unknown", SOURCE_LIMIT, clock.now()) &&
      take(clients, clientId, CLIENT_LIMIT, clock.now()),
  };
}

function take(
  buckets: Map<string, Bucket>,
  key: string,
  limit: { readonly capacity: number; readonly perSecond: number },
  now: number,
): boolean {
  const bucket = buckets.get(key) ?? { tokens: limit.capacity, refilledAt: now };
  const earned = (Math.max(0, now - bucket.refilledAt) / 1000) * limit.perSecond;
  bucket.tokens = Math.min(limit.capacity, bucket.tokens + earned);
  bucket.refilledAt = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  forgetOldest(buckets);
  buckets.set(key, bucket);
  return true;
}

function forgetOldest(buckets: Map<string, Bucket>): void {
  if (buckets.size < MAX_BUCKETS) return;
  const oldest = buckets.keys().next().value;
  if (oldest !== undefined) buckets.delete(oldest);
}
