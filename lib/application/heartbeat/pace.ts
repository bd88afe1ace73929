import type { Clock } from "../../kernel/clock.ts";

/**
 * Work at most once an interval, for where only requests tell that time passes: at the first call, and at each one that
 * comes an interval, in milliseconds, after the last work or later. A clock that was set back counts as passed time.
 */
export function paced(clock: Clock, interval: () => number, work: () => void): () => void {
  let workedAt: number | undefined;
  return () => {
    const now = clock.now();
    if (workedAt !== undefined && Math.abs(now - workedAt) < interval()) return;
    workedAt = now;
    work();
  };
}
