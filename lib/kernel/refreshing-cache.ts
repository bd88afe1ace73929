import type { Clock } from "./clock.ts";
import {
  begun,
  ended,
  type FetchState,
  failed,
  isBusy,
  isDue,
  type Status,
  statusOf,
  succeeded,
  UNTRIED,
} from "./fetch-state.ts";
import type { Random } from "./random.ts";
import { pollUntil } from "./timers.ts";

/** Work that may outlive the request it was noticed in. */
export type WaitUntil = (work: Promise<void>) => void;

/** A value fetched from elsewhere and kept: plain data only, no promise is shared between requests (D29). */
export interface RefreshingCache<T> {
  /** The value; refreshed in the background once it is old. Undefined when it could not be had. */
  get(waitUntil: WaitUntil): Promise<T | undefined>;
  /**
   * A value that has what the known one lacks, or one that an attempt brought that began after this call; undefined when
   * there was none. Of many that ask at once mostly one fetches (D75).
   */
  renew(known: T, terms: RenewalTerms<T>): Promise<T | undefined>;
  status(): Status;
  /** Whether the latest attempt succeeded; what it brought is the value. */
  isFresh(): boolean;
  /** Whether the value should be fetched by somebody, though nobody asks for it. */
  isDue(): boolean;
  /** Fetches now; never rejects. Nothing comes of it once the signal aborts. */
  attempt(signal?: AbortSignal): Promise<void>;
}

export interface RenewalTerms<T> {
  readonly waitUntil: WaitUntil;
  /** Whether a value has what is looked for. */
  readonly suffices: (value: T) => Promise<boolean>;
  /** Asked when it would take a fetch that nobody else is about. */
  readonly mayFetch: () => boolean;
}

export interface RefreshingCacheOptions<T> {
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds after which a value is old. */
  readonly refreshInterval: number;
  readonly load: (signal: AbortSignal | undefined) => Promise<T>;
  readonly report: FetchReport;
}

/** After a failed attempt, whoever needs the value causes no other for this long. */
const RETRY_AFTER = 5_000;
/** How long a request waits for what another one fetches, milliseconds: a document has five seconds, and there may be two. */
const WAIT_LIMIT = 10_000;

export function createRefreshingCache<T>({
  clock,
  random,
  refreshInterval,
  load,
  report,
}: RefreshingCacheOptions<T>): RefreshingCache<T> {
  let state: FetchState<T> = UNTRIED;
  /** Attempts so far, and the latest of them that brought the value: they are told apart by number, not by time. */
  let attempts = 0;
  let brought = 0;

  async function attempt(signal?: AbortSignal): Promise<void> {
    const number = ++attempts;
    const beganAt = clock.now();
    state = begun(state, beganAt);
    try {
      const value = await load(signal);
      // An answer that was overtaken by a later one is older than what is known.
      if (number < brought) return;
      brought = number;
      const { failures } = state;
      state = succeeded(value, clock.now(), refreshInterval);
      report.succeeded(failures);
    } catch (cause) {
      if (signal?.aborted) {
        state = ended(state);
        return;
      }
      const before = state;
      state = failed(state, { beganAt, now: clock.now(), jitter: jitterOf(random) });
      if (state.failures > before.failures) report.failed(cause, state);
    }
  }

  function mayAsk(): boolean {
    const { failures, endedAt } = state;
    return failures === 0 || Math.abs(clock.now() - endedAt) >= RETRY_AFTER;
  }

  const isIdle = () => !isBusy(state, clock.now());

  /** Goes on also when the request that needs it ends early: others may be waiting for what it brings. */
  async function fetchFor(waitUntil: WaitUntil): Promise<void> {
    const work = attempt();
    waitUntil(work);
    await work;
  }

  return {
    async get(waitUntil) {
      if (state.value !== undefined) {
        if (isDue(state, clock.now())) waitUntil(attempt());
      } else if (!isIdle()) await pollUntil(isIdle, WAIT_LIMIT);
      else if (mayAsk()) await fetchFor(waitUntil);
      return state.value;
    },
    async renew(known, { waitUntil, suffices, mayFetch }) {
      const before = attempts;
      let tried: T | undefined = known;
      // What others bring meanwhile may do; but what was under way already may lack it, although it is there by now.
      while (brought <= before) {
        if (state.value !== undefined && state.value !== tried) {
          tried = state.value;
          if (await suffices(tried)) return tried;
        } else if (!isIdle()) {
          if (!(await pollUntil(isIdle, WAIT_LIMIT))) return undefined;
        } else {
          if (!mayAsk() || !mayFetch()) return undefined;
          await fetchFor(waitUntil);
          if (brought <= before) return undefined;
        }
      }
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

/** Told what became of each attempt to fetch something. */
export interface FetchReport {
  failed(cause: unknown, after: { readonly failures: number; readonly value?: unknown }): void;
  /** `failures`: those in a row before this success. */
  succeeded(failures: number): void;
}
