import { boundedCache } from "../kernel/bounded-cache.ts";
import { cellsLeft, cellsTaken, cellsWait, interval, whole } from "../kernel/gcra.ts";
import type { LimitClaim } from "./limiter.ts";
import { stateOf, type Taken } from "./taken.ts";

/** Callers that are counted here at a time, a limit. */
const CALLERS = 20_000;
/** How many of the oldest are looked at for one who can be forgotten. */
const TRIED = 8;

/** What callers took of one limit, where nobody else counts them. */
export interface LocalCounts {
  take(claim: LimitClaim, now: number): Taken;
}

interface LocalCount {
  readonly key: string;
  /** See `gcra.ts`. */
  fullAt: number;
}

export function createLocalCounts(): LocalCounts {
  const counts = boundedCache<string, LocalCount>(CALLERS);
  /** Of those for whom there is no room: together, so that making up callers gains nothing. */
  const crowd: LocalCount = { key: "", fullAt: 0 };

  function countOf(key: string, now: number): LocalCount {
    const known = counts.get(key);
    if (known !== undefined) {
      // Who is counted goes to the end: the oldest is who was not for long.
      counts.put(key, known);
      return known;
    }
    for (let tried = 0; tried < TRIED; tried++) {
      const oldest = counts.displaced();
      if (oldest === undefined || isForgettable(oldest, now)) {
        const made = { key, fullAt: 0 };
        counts.put(key, made);
        return made;
      }
      // Others behind it may be full again before.
      counts.put(oldest.key, oldest);
    }
    return crowd;
  }

  return { take: (claim, now) => takeFrom(countOf(claim.key, now), claim, now) };
}

/** Nothing is granted anew with it. */
function isForgettable({ fullAt }: LocalCount, now: number): boolean {
  return fullAt <= now;
}

function takeFrom(count: LocalCount, { terms, amount }: LimitClaim, now: number): Taken {
  // A clock that was set back finds nobody deeper than empty.
  count.fullAt = Math.min(count.fullAt, now + whole(terms));
  const isTaken = cellsLeft(count.fullAt, terms, now) >= amount;
  const wait = isTaken ? 0 : cellsWait(count.fullAt, amount, terms, now);
  if (isTaken) count.fullAt = cellsTaken(count.fullAt, amount, terms, now);
  const state = stateOf(terms, cellsLeft(count.fullAt, terms, now), count.fullAt, now);
  const undo = () => {
    count.fullAt -= amount * interval(terms);
  };
  return isTaken ? { isTaken, state, undo } : { isTaken, state, wait };
}
