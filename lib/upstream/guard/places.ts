import type { Clock } from "../../kernel/clock.ts";

/** How many requests to an upstream run, and how many wait for a place among them. */
export interface Places {
  running(): number;
  /** Those of one principal. */
  runningOf(principal: string): number;
  waiting(): number;
  /** Those of one principal. */
  waitingOf(principal: string): number;
  /** A request runs from now on, until it is ended. */
  take(principal: string): { end(): void };
  /** A request waits from now on, until it is ended. */
  queue(principal: string): { end(): void };
}

/**
 * A request that runs for longer does not count any more, milliseconds: on Workers one can end without a word, and would
 * keep its place for ever. Longer than any call waits for an agent's answer.
 */
const LONGEST = 15 * 60_000;

/** @param patience how long a request waits at most, milliseconds */
export function createPlaces(clock: Clock, patience: number): Places {
  const running = counted(clock, LONGEST);
  const waiting = counted(clock, patience);
  return {
    running: running.size,
    runningOf: running.sizeOf,
    waiting: waiting.size,
    waitingOf: waiting.sizeOf,
    take: running.add,
    queue: waiting.add,
  };
}

/** Things that are there until they end, or for so many milliseconds. */
function counted(clock: Clock, lifetime: number) {
  const since = new Map<symbol, { readonly from: number; readonly owner: string }>();
  const owners = new Map<string, Set<symbol>>();
  const remove = (one: symbol): void => {
    const owner = since.get(one)?.owner ?? "";
    const own = owners.get(owner);
    since.delete(one);
    own?.delete(one);
    if (own?.size === 0) owners.delete(owner);
  };
  return {
    sizeOf: (owner: string) => owners.get(owner)?.size ?? 0,
    size: () => {
      const now = clock.now();
      // In the order in which they came: behind the first that is young enough all are.
      for (const [one, { from }] of since) {
        if (Math.abs(now - from) <= lifetime) break;
        remove(one);
      }
      return since.size;
    },
    add: (owner: string) => {
      const one = Symbol();
      since.set(one, { from: clock.now(), owner });
      const own = owners.get(owner) ?? new Set();
      owners.set(owner, own.add(one));
      return { end: () => remove(one) };
    },
  };
}
