import type { Clock } from "../../kernel/clock.ts";

/** Work at most once an interval. */
export interface Paced {
  /** Works at the first call, and at each one that comes an interval after the last work or later. */
  whenDue(): void;
  /** Works, and counts as the last work. */
  now(): void;
  /** Works as `now` does, but not if the last work was at this time (milliseconds since the epoch) or later. */
  unlessSince(time: number): void;
}

/**
 * For where only requests tell that time passes. A clock that was set back counts as passed time.
 * @param interval milliseconds
 */
export function paced(clock: Clock, interval: () => number, work: () => void): Paced {
  let workedAt: number | undefined;
  const workAt = (now: number): void => {
    workedAt = now;
    work();
  };
  return {
    whenDue: () => {
      const now = clock.now();
      if (workedAt === undefined || Math.abs(now - workedAt) >= interval()) workAt(now);
    },
    now: () => workAt(clock.now()),
    unlessSince: (time) => {
      const now = clock.now();
      if (workedAt === undefined || workedAt < time || workedAt > now) workAt(now);
    },
  };
}
