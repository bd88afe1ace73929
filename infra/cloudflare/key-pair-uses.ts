import { boundedCache } from "../../lib/kernel/bounded-cache.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import type { KeyPairUse } from "../../lib/stores/api-clients.ts";

/** Key pairs that one isolate remembers. */
const CAPACITY = 10_000;
/** From a failure to the next attempt for the same hour, milliseconds. */
const PAUSE = 60_000;

interface Told {
  readonly hour: number;
  /** Milliseconds since the epoch; absent when the registry knows. */
  readonly againFrom?: number;
}

/**
 * Tells the registry the hours in which key pairs were used, from this isolate once for each key pair and hour: the cached
 * record that says what the registry knows may be a minute old, and there may be a thousand requests in it. While telling
 * fails it is tried once a minute.
 */
export function keyPairUses(
  clock: Clock,
  tell: (use: KeyPairUse) => Promise<void>,
): (use: KeyPairUse) => Promise<void> {
  const memory = boundedCache<string, Told>(CAPACITY);
  return async (use) => {
    const told = memory.get(use.keyPairId);
    if (told !== undefined && use.hour <= told.hour && !isDue(told, clock.now())) return;
    memory.put(use.keyPairId, { hour: use.hour });
    try {
      await tell(use);
    } catch (error) {
      memory.put(use.keyPairId, { hour: use.hour, againFrom: clock.now() + PAUSE });
      throw error;
    }
  };
}

function isDue({ againFrom }: Told, now: number): boolean {
  return againFrom !== undefined && now >= againFrom;
}
