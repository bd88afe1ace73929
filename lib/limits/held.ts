import { interval } from "../kernel/gcra.ts";
import type { Lease } from "../stores/limits.ts";
import type { LimitTerms } from "./limiter.ts";

/** What is left of one lease. */
export interface Held {
  tokens: number;
  /** When the shared count has all of it again, or its window ends. Milliseconds since the epoch. */
  readonly fullAt: number;
  /** Milliseconds that one takes to earn; 0: nothing is earned before the window ends. */
  readonly each: number;
}

export function heldOf(terms: LimitTerms, { fullAt }: Lease, tokens: number): Held {
  return { tokens, fullAt, each: terms.calendar === undefined ? interval(terms) : 0 };
}

/**
 * Takes so many out of leases, the oldest first; what gives them back, or undefined: there are fewer. What the shared
 * count has earned again since is no longer good here, one by one: so that both together are never more than the burst.
 */
export function takeHeld(leases: Held[], amount: number, now: number): (() => void) | undefined {
  let there = 0;
  for (const one of leases) {
    one.tokens = good(one, now);
    there += one.tokens;
  }
  if (there < amount) return undefined;
  const parts: (readonly [Held, number])[] = [];
  let needed = amount;
  for (const one of leases) {
    const part = Math.min(one.tokens, needed);
    one.tokens -= part;
    needed -= part;
    if (part > 0) parts.push([one, part]);
  }
  return () => parts.forEach(([one, part]) => void putBack(leases, one, part));
}

export function putBack(leases: Held[], one: Held, tokens: number): void {
  one.tokens += tokens;
  if (!leases.includes(one)) leases.push(one);
}

/** Forgets what nothing is left of. */
export function dropEmpty(leases: Held[]): void {
  if (leases.some(({ tokens }) => tokens === 0)) leases.splice(0, leases.length, ...leases.filter(isLeft));
}

function isLeft({ tokens }: Held): boolean {
  return tokens > 0;
}

function good({ tokens, fullAt, each }: Held, now: number): number {
  if (now >= fullAt) return 0;
  return each === 0 ? tokens : Math.min(tokens, Math.floor((fullAt - now) / each));
}
