import { boundedCache } from "./bounded-cache.ts";
import type { Clock } from "./clock.ts";

export interface Limit {
  /** How often in a row. */
  readonly capacity: number;
  /** How much of that comes back a second. */
  readonly perSecond: number;
}

/** Counts by key in this instance's memory. */
export interface RateLimit {
  /** Whether the key may once more, or so often more; if so, that counts. */
  take(key: string, times?: number): boolean;
  /** Undoes one `take` of the key, as far as its bucket is still known. */
  giveBack(key: string): void;
}

interface Bucket {
  readonly tokens: number;
  /** Milliseconds since the epoch. */
  readonly countedAt: number;
}

const MAX_KEYS = 10_000;

/**
 * A token bucket for each key. Only a bucket that is full again is forgotten, so that no number of other keys refills an
 * exhausted one; while there is none to forget, all keys beyond `maxKeys` share one bucket.
 */
export function createRateLimit(clock: Clock, limit: Limit, maxKeys = MAX_KEYS): RateLimit {
  const buckets = boundedCache<string, Bucket>(maxKeys);
  let shared: Bucket = { tokens: limit.capacity, countedAt: clock.now() };
  return {
    take: (key, times = 1) => {
      const now = clock.now();
      const known = buckets.get(key);
      const displaced = known === undefined ? buckets.displaced() : undefined;
      const isCrowded = displaced !== undefined && tokensAt(displaced, limit, now) < limit.capacity;
      const tokens = tokensAt(isCrowded ? shared : known, limit, now);
      const isAllowed = tokens >= times;
      const counted = { tokens: isAllowed ? tokens - times : tokens, countedAt: now };
      if (isCrowded) shared = counted;
      else buckets.put(key, counted);
      return isAllowed;
    },
    giveBack: (key) => {
      const now = clock.now();
      const known = buckets.get(key);
      if (known === undefined) return;
      buckets.put(key, { tokens: Math.min(limit.capacity, tokensAt(known, limit, now) + 1), countedAt: now });
    },
  };
}

function tokensAt(bucket: Bucket | undefined, { capacity, perSecond }: Limit, now: number): number {
  if (bucket === undefined) return capacity;
  const earned = (Math.max(0, now - bucket.countedAt) / 1000) * perSecond;
  return Math.min(capacity, bucket.tokens + earned);
}
