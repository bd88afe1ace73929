import { whole } from "../kernel/gcra.ts";
import type { LimitClaim, Limiter, LimitTerms, LimitVerdict } from "./limiter.ts";
import { createLocalCounts } from "./local-counts.ts";
import { createSharedCounts, type SharedOptions, type SharedPorts, windowOf } from "./shared-counts.ts";
import { policyOf, seconds, type Taken } from "./taken.ts";

export type LimiterPorts = SharedPorts;

/** Where nobody else counts on the store, rates that are earned again within the hour are counted here, without it. */
export type LimiterOptions = SharedOptions;

export const ALONE: LimiterOptions = { isAlone: true, sharesLeases: true };
/** On Lambda. */
export const AMONG_OTHERS: LimiterOptions = { isAlone: false, sharesLeases: true };
/** On Workers. */
export const APART: LimiterOptions = { isAlone: false, sharesLeases: false };

/** What takes so long to earn again a restart must not forget. Milliseconds. */
const LONG = 3_600_000;
/** Seconds, where the count cannot be asked. */
const AWAY = 5;

/** What callers took of one limit: no limit's callers displace those of another. */
interface Counts {
  /** A promise where the store has to be asked. */
  readonly take: (claim: LimitClaim, now: number) => Taken | Promise<Taken>;
  usedAt: number;
}

/** Counts for one instance (D168). */
export function createLimiter(ports: LimiterPorts, options: LimiterOptions): Limiter {
  const { clock } = ports;
  const counts = new Map<string, Counts>();
  const ofTerms = new WeakMap<LimitTerms, Counts>();
  const inFlight = new Map<string, number>();

  /** The terms of the next configuration have the counts of those before, by name and window. */
  function countsOf(terms: LimitTerms, now: number): Counts {
    let found = ofTerms.get(terms);
    if (found === undefined) {
      const id = `${terms.name} ${windowOf(terms)}`;
      found = counts.get(id) ?? newCounts(terms, now);
      counts.set(id, found);
      ofTerms.set(terms, found);
    }
    found.usedAt = now;
    return found;
  }

  function newCounts(terms: LimitTerms, now: number): Counts {
    // Of limits that are no more: what was counted here is earned again by then.
    for (const [id, { usedAt }] of counts) if (now - usedAt >= LONG) counts.delete(id);
    const isLocal = options.isAlone && terms.calendar === undefined && whole(terms) < LONG;
    const { take } = isLocal ? createLocalCounts() : createSharedCounts(ports, options);
    return { take, usedAt: now };
  }

  function takeOne(claim: LimitClaim, now: number): Taken | Promise<Taken> {
    return countsOf(claim.terms, now).take(claim, now);
  }

  async function takeRest(claims: readonly LimitClaim[], taken: Taken[], first: Promise<Taken>): Promise<LimitVerdict> {
    let asked: Promise<Taken> | undefined = first;
    for (const claim of claims.slice(taken.length)) {
      const one = await (asked ?? takeOne(claim, clock.now()));
      asked = undefined;
      if (!one.isTaken) return refused(one, taken, claim);
      taken.push(one);
    }
    return granted(taken);
  }

  return {
    take(claims) {
      const large = claims.find(({ terms, amount }) => amount > terms.burst);
      if (large !== undefined) return tooLarge(large.terms);
      const now = clock.now();
      const taken: Taken[] = [];
      for (const claim of claims) {
        const one = takeOne(claim, now);
        if (one instanceof Promise) return takeRest(claims, taken, one);
        if (!one.isTaken) return refused(one, taken, claim);
        taken.push(one);
      }
      return granted(taken);
    },
    enter(name, key, most) {
      const id = `${name} ${key}`;
      const entered = inFlight.get(id) ?? 0;
      if (entered >= most) return undefined;
      inFlight.set(id, entered + 1);
      return () => {
        const left = (inFlight.get(id) ?? 1) - 1;
        if (left > 0) inFlight.set(id, left);
        else inFlight.delete(id);
      };
    },
  };
}

function granted(taken: readonly Taken[]): LimitVerdict {
  const states = taken.flatMap(({ state }) => (state === undefined ? [] : [state]));
  return { outcome: "granted", states, giveBack: () => giveBack(taken) };
}

/** What was taken of other limits before is given back. */
function refused(one: Taken, before: readonly Taken[], { terms: { name } }: LimitClaim): LimitVerdict {
  giveBack(before);
  if (one.isAway === true || one.state === undefined) return { outcome: "unavailable", name, retryAfter: AWAY };
  return { outcome: "refused", state: one.state, retryAfter: seconds(one.wait ?? 0) };
}

function giveBack(taken: readonly Taken[]): void {
  for (const { undo } of taken) undo?.();
}

function tooLarge(terms: LimitTerms): LimitVerdict {
  return { outcome: "too_large", policy: policyOf(terms), most: terms.burst * (terms.unit?.size ?? 1) };
}
