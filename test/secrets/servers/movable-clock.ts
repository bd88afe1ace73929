import type { Clock } from "../../../lib/kernel/clock.ts";

/** A clock that stands still until it is moved. */
export interface MovableClock extends Clock {
  advance(milliseconds: number): void;
}

export function movableClock(start = Date.parse("2026-11-21T12:00:00Z")): MovableClock {
  let now = start;
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
