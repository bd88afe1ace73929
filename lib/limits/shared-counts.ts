import { sha256base64url } from "#sha256";
import { boundedCache } from "../kernel/bounded-cache.ts";
import type { Clock } from "../kernel/clock.ts";
import { whole } from "../kernel/gcra.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import type { Lease, LeaseRequest, LimitCounts } from "../stores/limits.ts";
import { dropEmpty, type Held, heldOf, putBack, takeHeld } from "./held.ts";
import type { LimitClaim, LimitTerms } from "./limiter.ts";
import { stateOf, type Taken } from "./taken.ts";

export interface SharedPorts {
  readonly stores: { readonly limits: LimitCounts };
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

export interface SharedOptions {
  /** Nobody else counts on this store: leases grow whenever they are needed, and `exact` asks for nothing more. */
  readonly isAlone: boolean;
  /** Requests wait for one lease together. Not where they must share no promises (D29). */
  readonly sharesLeases: boolean;
}

/** What callers take of one limit out of leases of a count that instances share (D168). */
export interface SharedCounts {
  take(claim: LimitClaim, now: number): Taken | Promise<Taken>;
}

/** Callers whose leases are known at a time, a limit. Who is forgotten loses a lease and gains nothing. */
const CALLERS = 20_000;
/** A lease that lasted so long was large enough, and the next is small again. Milliseconds. */
const LASTED = 1_000;
/** The same for rates: a part of the time in which a whole burst is earned. */
const PART = 100;
/** How long at most a refusal of the store is believed, so that refused callers do not keep it busy. Milliseconds. */
const BELIEVED = 1_000;
/** After so long without an answer a lease is no longer waited for: the request that asked may have been ended. Milliseconds. */
const ANSWERED = 1_000;
/** How often a request waits for the lease of another before it asks for itself. */
const FOLLOWED = 8;
/** How many times as much as is needed a lease is at most. */
const MOST = 1_000;

/** One caller. Plain numbers, which requests may share everywhere, but for `pending`. */
interface Count {
  readonly leases: Held[];
  leasedAt: number;
  /** Until when a larger lease that was asked for may be answered; others ask for what they need meanwhile. */
  askingUntil: number;
  /** How many times as much as is needed the next lease is. */
  times: number;
  /** Of the last answer of the store. */
  left: number;
  fullAt: number;
  pending: Promise<Taken> | undefined;
  /** The store's last refusal. */
  refusal: Refusal | undefined;
}

interface Refusal {
  /** Other terms, of settings that were changed since, are asked about anew. */
  readonly terms: LimitTerms;
  readonly amount: number;
  readonly at: number;
  /** Milliseconds from then until there is so much. */
  readonly wait: number;
}

export function createSharedCounts({ stores, clock, logger }: SharedPorts, options: SharedOptions): SharedCounts {
  const counts = boundedCache<string, Count>(CALLERS);

  function countOf(key: string): Count {
    const count = counts.get(key) ?? newCount();
    counts.put(key, count);
    return count;
  }

  /** A single instance uses up what it leases. */
  function isExact({ exact }: LimitTerms): boolean {
    return exact && !options.isAlone;
  }

  async function lease(count: Count, claim: LimitClaim): Promise<Taken> {
    const { terms } = claim;
    try {
      for (let followed = 0; followed < FOLLOWED && count.pending !== undefined && !isExact(terms); followed++) {
        await count.pending;
        const decided = known(count, claim, clock.now());
        if (decided !== undefined) return decided;
      }
      return await ask(count, claim, clock.now());
    } catch (cause) {
      logger.warn("a limit could not be counted", { limit: terms.name, cause: causeOf(cause) });
      return { isTaken: terms.unavailable === "allow", isAway: true };
    }
  }

  async function ask(count: Count, claim: LimitClaim, now: number): Promise<Taken> {
    const isLeading = now >= count.askingUntil && !isExact(claim.terms);
    const wanted = isLeading ? wantedBy(count, claim, now) : claim.amount;
    if (isLeading) count.askingUntil = now + ANSWERED;
    const asked = stores.limits
      .lease(requestOf(claim, wanted, now))
      .then((answer) => answered(count, claim, answer, { now, isLeading }));
    if (options.sharesLeases) count.pending = asked;
    try {
      return await asked;
    } finally {
      if (isLeading) count.askingUntil = 0;
      if (count.pending === asked) count.pending = undefined;
    }
  }

  /** Begins with what is needed, so that callers who come and are forgotten lose nothing. */
  function wantedBy(count: Count, { terms, amount }: LimitClaim, now: number): number {
    const lasted = now - count.leasedAt;
    const enough = enoughOf(terms);
    if (count.leasedAt === 0 || (lasted >= enough && !options.isAlone)) count.times = 1;
    else if (lasted <= enough / 3 || options.isAlone) count.times = Math.min(count.times * 2, MOST);
    return Math.max(amount, Math.min(count.times * amount, Math.floor(count.left / 100)));
  }

  function enoughOf(terms: LimitTerms): number {
    return terms.calendar === undefined ? Math.max(LASTED, whole(terms) / PART) : LASTED;
  }

  return {
    take(claim, now) {
      const count = countOf(claim.key);
      return known(count, claim, now) ?? lease(count, claim);
    },
  };
}

function newCount(): Count {
  return {
    leases: [],
    leasedAt: 0,
    askingUntil: 0,
    times: 1,
    left: 0,
    fullAt: 0,
    pending: undefined,
    refusal: undefined,
  };
}

function requestOf({ terms, key, amount }: LimitClaim, wanted: number, now: number): LeaseRequest {
  const { name, quota, period, burst, calendar } = terms;
  return {
    key: sha256base64url(`${name}\0${windowOf(terms)}\0${key}`),
    rate: { quota, period, burst },
    ...(calendar !== undefined && { calendar }),
    amount,
    wanted,
    now,
  };
}

/**
 * What numbers of a count mean the same: those of a day, of a month, or of rates whose bursts take equally long to earn.
 * Under other terms it begins anew, so that who raises a limit helps whoever had used it up.
 */
export function windowOf(terms: LimitTerms): string {
  return terms.calendar ?? String(whole(terms));
}

/** What was asked for is the answer; the rest of the lease is for others. */
function answered(
  count: Count,
  { terms, amount }: LimitClaim,
  answer: Lease,
  { now, isLeading }: { readonly now: number; readonly isLeading: boolean },
): Taken {
  count.left = answer.left;
  count.fullAt = answer.fullAt;
  if (answer.granted < amount) {
    const wait = Math.max(1, answer.wait);
    count.refusal = { terms, amount, at: now, wait };
    return { isTaken: false, state: stateOf(terms, answer.left, answer.fullAt, now), wait };
  }
  const held = heldOf(terms, answer, answer.granted - amount);
  dropEmpty(count.leases);
  if (held.tokens > 0) count.leases.push(held);
  if (isLeading) count.leasedAt = now;
  return granted(count, terms, now, () => putBack(count.leases, held, amount));
}

/** Out of what was leased, or as the store said a moment ago; undefined: it has to be asked. */
function known(count: Count, claim: LimitClaim, now: number): Taken | undefined {
  const { terms, amount } = claim;
  const undo = takeHeld(count.leases, amount, now);
  if (undo !== undefined) return granted(count, terms, now, undo);
  const { refusal, left, fullAt } = count;
  if (refusal === undefined || refusal.terms !== terms || amount < refusal.amount) return undefined;
  const since = now - refusal.at;
  if (since < 0 || since >= Math.min(refusal.wait, BELIEVED)) return undefined;
  return { isTaken: false, state: stateOf(terms, left, fullAt, now), wait: refusal.wait - since };
}

function granted({ leases, left, fullAt }: Count, terms: LimitTerms, now: number, undo: () => void): Taken {
  const held = leases.reduce((sum, { tokens }) => sum + tokens, 0);
  return { isTaken: true, state: stateOf(terms, left + held, fullAt, now), undo };
}
