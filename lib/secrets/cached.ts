import type { Clock } from "../kernel/clock.ts";
import { oneFlight } from "./one-flight.ts";
import { SecretError, type SecretProvider } from "./provider.ts";

/** How long a value is taken without asking again, milliseconds. */
export const SECRET_TTL = 300_000;

/** A value that was fetched; plain data, so that it may outlive a request on Workers (D29). */
export interface CachedSecret {
  readonly value: string;
  /** When it was asked for last, also in vain; milliseconds since the epoch. */
  readonly askedAt: number;
  readonly isStale: boolean;
}

export interface CachedSecretsOptions {
  readonly clock: Clock;
  /** Milliseconds; five minutes unless given. */
  readonly ttl?: number;
  /** Where the values are kept; given where they outlive the provider. */
  readonly entries?: Map<string, CachedSecret>;
  /** Told when a value cannot be fetched again and the former one is given instead: once until it can. */
  readonly onStale?: (reference: string, error: SecretError) => void;
}

/**
 * Fetches each secret once at a time, and again when it is older than the TTL. A value that was there stays when fetching
 * fails, until the next TTL has passed. Errors are not kept.
 */
export function cachedSecrets(provider: SecretProvider, options: CachedSecretsOptions): SecretProvider {
  const { clock, ttl = SECRET_TTL, entries = new Map<string, CachedSecret>(), onStale } = options;
  const fetched = async (reference: string): Promise<string> => {
    try {
      const value = await provider.get(reference);
      entries.set(reference, { value, askedAt: clock.now(), isStale: false });
      return value;
    } catch (error) {
      const former = entries.get(reference);
      if (former === undefined || !(error instanceof SecretError)) throw error;
      entries.set(reference, { ...former, askedAt: clock.now(), isStale: true });
      if (!former.isStale) onStale?.(reference, error);
      return former.value;
    }
  };
  const fetchOnce = oneFlight(fetched);
  return {
    async get(reference) {
      const known = entries.get(reference);
      return known !== undefined && Math.abs(clock.now() - known.askedAt) < ttl
        ? known.value
        : fetchOnce(reference, reference);
    },
  };
}
