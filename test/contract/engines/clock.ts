import type { Clock } from "../../../lib/kernel/clock.ts";

/** This machine's clock, off by so many milliseconds. */
export function clockAhead(ahead: number): Clock {
  return { now: () => Date.now() + ahead };
}
