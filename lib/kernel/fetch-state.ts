/** What is known of a value that is fetched from elsewhere and fetched again: plain data, times in milliseconds. */
export interface FetchState<T> {
  /** The latest that could be had. Later failures leave it. */
  readonly value?: T;
  /** Failed attempts since the last one that succeeded. */
  readonly failures: number;
  /** When the last attempt ended. */
  readonly endedAt: number;
  /** From then on another attempt is due. */
  readonly dueAt: number;
  /** An attempt is under way until then; a runtime may have ended one that is still not over. */
  readonly busyUntil: number;
}

/** `unknown` until the first attempt ends, `down` as long as none has succeeded. */
export type Status = "unknown" | "up" | "down";

/** After the first failure; it doubles with each further one, up to the longest. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
/** An attempt that takes longer counts as lost. */
const ATTEMPT_LIMIT = 30_000;

export const UNTRIED: FetchState<never> = {
  failures: 0,
  endedAt: Number.NEGATIVE_INFINITY,
  dueAt: Number.NEGATIVE_INFINITY,
  busyUntil: Number.NEGATIVE_INFINITY,
};

export function statusOf({ value, failures }: FetchState<unknown>): Status {
  if (value !== undefined) return "up";
  return failures > 0 ? "down" : "unknown";
}

/** A clock that was set back makes an attempt due: times in its future say nothing. */
export function isDue(state: FetchState<unknown>, now: number): boolean {
  return !isBusy(state, now) && (now >= state.dueAt || now < state.endedAt);
}

/**
 * Whether an attempt is under way. It cannot end later than its limit after now; a longer time is that of a clock before
 * it was set back.
 */
export function isBusy({ busyUntil }: FetchState<unknown>, now: number): boolean {
  return now < busyUntil && busyUntil <= now + ATTEMPT_LIMIT;
}

export function begun<T>(state: FetchState<T>, now: number): FetchState<T> {
  return { ...state, busyUntil: now + ATTEMPT_LIMIT };
}

/** An attempt is over of which nothing came. */
export function ended<T>(state: FetchState<T>): FetchState<T> {
  return { ...state, busyUntil: UNTRIED.busyUntil };
}

/** Next comes a refresh. */
export function succeeded<T>(value: T, now: number, refreshInterval: number): FetchState<T> {
  return { ...UNTRIED, value, endedAt: now, dueAt: now + refreshInterval };
}

/**
 * Next comes another attempt, later after each failure. Of attempts that ran side by side the first to end counts.
 *
 * @param beganAt when the attempt began
 * @param jitter 0 to 1: how much of half the pause is left out, so that many who failed together do not come back together
 */
export function failed<T>(
  state: FetchState<T>,
  { beganAt, now, jitter }: { readonly beganAt: number; readonly now: number; readonly jitter: number },
): FetchState<T> {
  if (state.endedAt >= beganAt) return ended(state);
  const failures = state.failures + 1;
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)) * (1 - jitter / 2);
  return { ...state, failures, endedAt: now, dueAt: now + pause, busyUntil: UNTRIED.busyUntil };
}
