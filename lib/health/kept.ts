import type { Clock } from "../clock.ts";
import type { Random } from "../random.ts";
import { begun, type FetchState, failed, isDue, type Status, statusOf, succeeded, UNTRIED } from "./fetch-state.ts";
import type { FetchReport } from "./report.ts";

/** Work that may outlive the request it was noticed in. */
export type WaitUntil = (work: Promise<void>) => void;

/** A value fetched from elsewhere and kept: plain data only, no promise is shared between requests (D29). */
export interface Kept<T> {
  /** The value; refreshed in the background once it is old. Undefined when it could not be had. */
  get(waitUntil: WaitUntil): Promise<T | undefined>;
  /** Fetches again now, but not again within the cooldown: for something that the kept value does not know. */
  renew(): Promise<T | undefined>;
  status(): Status;
  /** Whether the latest attempt succeeded; what it brought is the value. */
  isFresh(): boolean;
  /** Whether the value should be fetched by somebody, though nobody asks for it. */
  isDue(): boolean;
  /** Fetches now; never rejects. Nothing comes of it once the signal aborts. */
  attempt(signal?: AbortSignal): Promise<void>;
}

export interface KeepOptions<T> {
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds after which a value is old. */
  readonly refreshInterval: number;
  readonly load: (signal: AbortSignal | undefined) => Promise<T>;
  readonly report: FetchReport;
}

/** After a failed attempt, whoever needs the value causes no other for this long. */
const RETRY_AFTER = 5_000;
/** Unknown keys cause no more than one fetch in this time. */
const RENEWAL_COOLDOWN = 30_000;

export function keep<T>({ clock, random, refreshInterval, load, report }: KeepOptions<T>): Kept<T> {
  let state: FetchState<T> = UNTRIED;
  let renewedAt = Number.NEGATIVE_INFINITY;

  async function attempt(signal?: AbortSignal): Promise<void> {
    const beganAt = clock.now();
    state = begun(state, beganAt);
    try {
      const value = await load(signal);
      const { failures } = state;
      state = succeeded(value, clock.now(), refreshInterval);
      report.succeeded(failures);
    } catch (cause) {
      if (signal?.aborted) return;
      const before = state;
      state = failed(state, { beganAt, now: clock.now(), jitter: jitterOf(random) });
      if (state.failures > before.failures) report.failed(cause, state);
    }
  }

  function mayAsk(): boolean {
    const { failures, endedAt } = state;
    return failures === 0 || Math.abs(clock.now() - endedAt) >= RETRY_AFTER;
  }

  return {
    async get(waitUntil) {
      if (state.value === undefined && mayAsk()) await attempt();
      else if (state.value !== undefined && isDue(state, clock.now())) waitUntil(attempt());
      return state.value;
    },
    async renew() {
      if (clock.now() - renewedAt < RENEWAL_COOLDOWN) return state.value;
      renewedAt = clock.now();
      await attempt();
      return state.value;
    },
    status: () => statusOf(state),
    isFresh: () => state.value !== undefined && state.failures === 0,
    isDue: () => isDue(state, clock.now()),
    attempt,
  };
}

/** 0 to 1. */
export function jitterOf(random: Random): number {
  const [byte = 0] = random.bytes(1);
  return byte / 255;
}
