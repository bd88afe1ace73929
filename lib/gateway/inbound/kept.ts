import type { Clock } from "../../clock.ts";

/** Work that may outlive the request it was noticed in. */
export type WaitUntil = (work: Promise<void>) => void;

/** A value fetched from elsewhere and kept: plain data only, no promise is shared between requests (D29). */
export interface Kept<T> {
  /** The value; refreshed in the background once it is old. Undefined when it could not be had. */
  get(waitUntil: WaitUntil): Promise<T | undefined>;
  /** Fetches again now, but not again within the cooldown: for something that the kept value does not know. */
  renew(): Promise<T | undefined>;
}

export interface KeepOptions<T> {
  readonly clock: Clock;
  /** Milliseconds after which a value is old. */
  readonly refreshInterval: number;
  readonly load: () => Promise<T>;
  readonly onFailure: (cause: unknown) => void;
}

/** After a failed attempt, no other for this long. */
const RETRY_AFTER = 5_000;
/** Unknown keys cause no more than one fetch in this time. */
const RENEWAL_COOLDOWN = 30_000;

/** A runtime may end background work midway: after this long it counts as lost. */
const REFRESH_LIMIT = 30_000;

export function keep<T>({ clock, refreshInterval, load, onFailure }: KeepOptions<T>): Kept<T> {
  let value: T | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let refreshingSince = Number.NEGATIVE_INFINITY;

  async function attempt(): Promise<void> {
    try {
      value = await load();
      loadedAt = clock.now();
      failedAt = Number.NEGATIVE_INFINITY;
    } catch (cause) {
      failedAt = clock.now();
      onFailure(cause);
    }
  }

  async function refresh(): Promise<void> {
    refreshingSince = clock.now();
    await attempt();
    refreshingSince = Number.NEGATIVE_INFINITY;
  }

  const isOld = () => clock.now() - loadedAt >= refreshInterval;
  const isRefreshing = () => clock.now() - refreshingSince < REFRESH_LIMIT;

  return {
    async get(waitUntil) {
      const mayTry = clock.now() - failedAt >= RETRY_AFTER;
      if (value === undefined && mayTry) await attempt();
      else if (isOld() && mayTry && !isRefreshing()) waitUntil(refresh());
      return value;
    },
    async renew() {
      if (clock.now() - renewedAt < RENEWAL_COOLDOWN) return value;
      renewedAt = clock.now();
      await attempt();
      return value;
    },
  };
}
