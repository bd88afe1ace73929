import { boundedCache } from "../kernel/bounded-cache.ts";
import type { Clock } from "../kernel/clock.ts";
import { sha256base64url } from "../kernel/encoding.ts";
import { cellsLeft, cellsTaken, cellsWait, interval } from "../kernel/gcra.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import { calendarEnd, type LimitCounts } from "../stores/limits.ts";
import type { LimitClaim, Limiter, LimitState, LimitTerms, LimitVerdict } from "./limiter.ts";

export interface LimiterPorts {
  readonly stores: { readonly limits: LimitCounts };
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn">;
}

export interface LimiterOptions {
  /** Nobody else counts on this store: what is earned again within the hour is counted here, and a lease is kept. */
  readonly isAlone: boolean;
  /** Requests wait for one lease together. Not where they must share no promises (D29). */
  readonly sharesLeases: boolean;
}

export const ALONE: LimiterOptions = { isAlone: true, sharesLeases: true };
/** On Lambda. */
export const AMONG_OTHERS: LimiterOptions = { isAlone: false, sharesLeases: true };
/** On Workers. */
export const APART: LimiterOptions = { isAlone: false, sharesLeases: false };

/** Callers that are counted here at a time, a limit. */
const CALLERS = 20_000;
/**
 * How long a lease of a rate is kept where others count too: later it is earned anew. What is leased of a quota counts
 * until its window ends, because nothing brings it back. Milliseconds.
 */
const KEPT = 1_000;
/** Who needs another lease within this time uses up one that is twice as large before it is lost. Milliseconds. */
const SOON = KEPT / 3;
/** How long at most a refusal of the store is believed, so that refused callers do not keep it busy. Milliseconds. */
const BELIEVED = 1_000;
/** What a lease of a rate is for at most, milliseconds. */
const AHEAD = 50;
/** Periods from which on a restart must not forget. Milliseconds. */
const LONG = 3_600_000;
/** The largest lease. */
const MOST = 1_000;
/** Seconds, where the count cannot be asked. */
const AWAY = 5;

/** What one limit has counted of one caller: taken here, or to be taken out of a lease. */
interface Count {
  /** See `gcra.ts`; of what is counted here. */
  fullAt: number;
  /** Leased and not used. */
  tokens: number;
  /** Until when they are good. */
  until: number;
  leasedAt: number;
  /** Size of the next lease: doubled when it is needed soon after the last, and one again when some of that was lost. */
  wanted: number;
  /** Of the last answer of the store. */
  left: number;
  storeFullAt: number;
  pending: Promise<Refusal | undefined> | undefined;
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

/** Counts for one instance (D168). */
export function createLimiter(ports: LimiterPorts, options: LimiterOptions): Limiter {
  const { clock, logger } = ports;
  const counts = boundedCache<string, Count>(CALLERS);
  /** Of those for whom there is no room: together, so that making up callers gains nothing. */
  const crowd = new Map<string, Count>();
  const inFlight = new Map<string, number>();

  function countOf({ terms, key }: LimitClaim, now: number): Count {
    const id = `${terms.name} ${key}`;
    const known = counts.get(id);
    if (known !== undefined) {
      // Who is counted goes to the end: the oldest is who was not for long.
      counts.put(id, known);
      return known;
    }
    const displaced = counts.displaced();
    if (displaced !== undefined && !isForgettable(displaced, now)) {
      const shared = crowd.get(terms.name) ?? newCount();
      crowd.set(terms.name, shared);
      return shared;
    }
    const made = newCount();
    counts.put(id, made);
    return made;
  }

  function isHere({ period, calendar }: LimitTerms): boolean {
    return options.isAlone && calendar === undefined && period < LONG;
  }

  /** What is taken, or why not; a promise where the store has to be asked. */
  function takeOne(claim: LimitClaim, now: number): Taken | Promise<Taken> {
    const count = countOf(claim, now);
    const { terms, amount } = claim;
    if (isHere(terms)) return takeHere(count, terms, amount, now);
    return takeLeased(count, claim, now) ?? refusedBy(count.refusal, count, claim, now) ?? lease(count, claim);
  }

  async function lease(count: Count, claim: LimitClaim): Promise<Taken> {
    const { terms } = claim;
    try {
      for (;;) {
        const now = clock.now();
        const refusal = await leaseOnce(count, claim, now);
        const decided = takeLeased(count, claim, now) ?? refusedBy(refusal, count, claim, now);
        if (decided !== undefined) return decided;
        // Others used up what came for all, or what was refused was more than this.
      }
    } catch (cause) {
      logger.warn("a limit could not be counted", { limit: terms.name, cause: causeOf(cause) });
      return { isTaken: terms.unavailable === "allow", isAway: true };
    }
  }

  /** What the store grants is added to the count; its refusal is the answer. */
  async function leaseOnce(
    count: Count,
    { terms, key, amount }: LimitClaim,
    now: number,
  ): Promise<Refusal | undefined> {
    if (options.sharesLeases && !terms.exact && count.pending !== undefined) return count.pending;
    const lasted = now - count.leasedAt;
    if (lasted >= KEPT) count.wanted = 1;
    else if (lasted <= SOON) count.wanted = Math.min(count.wanted * 2, MOST);
    const { name, quota, period, burst, calendar } = terms;
    const request = {
      key: sha256base64url(`${name}\0${key}`),
      rate: { quota, period, burst },
      ...(calendar !== undefined && { calendar }),
      amount,
      wanted: terms.exact
        ? amount
        : Math.max(amount, Math.min(count.wanted, largest(terms), Math.floor(count.left / 100))),
      now,
    };
    const asked = ports.stores.limits.lease(request).then((answer) => {
      count.left = answer.left;
      count.storeFullAt = answer.fullAt;
      if (answer.granted === 0) {
        count.refusal = { terms, amount, at: now, wait: Math.max(1, answer.wait) };
        return count.refusal;
      }
      count.tokens = (now < count.until ? count.tokens : 0) + answer.granted;
      count.until = options.isAlone || calendar !== undefined ? answer.fullAt : now + KEPT;
      count.leasedAt = now;
      return undefined;
    });
    if (!options.sharesLeases) return asked;
    count.pending = asked;
    try {
      return await asked;
    } finally {
      if (count.pending === asked) count.pending = undefined;
    }
  }

  function giveBack({ terms, key, amount }: LimitClaim): void {
    const count = counts.get(`${terms.name} ${key}`);
    if (count === undefined) return;
    if (isHere(terms)) count.fullAt -= amount * interval(terms);
    else count.tokens += amount;
  }

  /** What came before a refusal is given back. */
  function refused(taken: Taken, before: readonly LimitClaim[], claim: LimitClaim): LimitVerdict {
    before.forEach(giveBack);
    const { name } = claim.terms;
    if (taken.isAway === true || taken.state === undefined) return { outcome: "unavailable", name, retryAfter: AWAY };
    return { outcome: "refused", state: taken.state, retryAfter: seconds(taken.wait ?? 0) };
  }

  function take(claims: readonly LimitClaim[]): LimitVerdict | Promise<LimitVerdict> {
    const states: LimitState[] = [];
    const now = clock.now();
    for (const [index, claim] of claims.entries()) {
      const taken = takeOne(claim, now);
      if (taken instanceof Promise) return takeRest(claims, index, taken, states);
      if (!taken.isTaken) return refused(taken, claims.slice(0, index), claim);
      if (taken.state !== undefined) states.push(taken.state);
    }
    return { outcome: "granted", states };
  }

  async function takeRest(
    claims: readonly LimitClaim[],
    from: number,
    first: Promise<Taken>,
    states: LimitState[],
  ): Promise<LimitVerdict> {
    for (let index = from; index < claims.length; index++) {
      const claim = claims[index] as LimitClaim;
      const taken = await (index === from ? first : takeOne(claim, clock.now()));
      if (!taken.isTaken) return refused(taken, claims.slice(0, index), claim);
      if (taken.state !== undefined) states.push(taken.state);
    }
    return { outcome: "granted", states };
  }

  return {
    take,
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

interface Taken {
  readonly isTaken: boolean;
  readonly state?: LimitState;
  /** Milliseconds. */
  readonly wait?: number;
  /** The store could not be asked. */
  readonly isAway?: true;
}

function newCount(): Count {
  return {
    fullAt: 0,
    tokens: 0,
    until: 0,
    leasedAt: 0,
    wanted: 1,
    left: 0,
    storeFullAt: 0,
    pending: undefined,
    refusal: undefined,
  };
}

/** Nothing is granted anew with it: what was leased and not used is lost. */
function isForgettable({ fullAt, pending }: Count, now: number): boolean {
  return fullAt <= now && pending === undefined;
}

function takeHere(count: Count, terms: LimitTerms, amount: number, now: number): Taken {
  const whole = terms.burst * interval(terms);
  // A clock that was set back finds nobody deeper than empty.
  count.fullAt = Math.min(count.fullAt, now + whole);
  const isTaken = cellsLeft(count.fullAt, terms, now) >= amount;
  const wait = isTaken ? 0 : cellsWait(count.fullAt, amount, terms, now);
  if (isTaken) count.fullAt = cellsTaken(count.fullAt, amount, terms, now);
  return { isTaken, wait, state: stateOf(terms, cellsLeft(count.fullAt, terms, now), count.fullAt, now) };
}

/** Out of what was leased; undefined: that is not enough. */
function takeLeased(count: Count, { terms, amount }: LimitClaim, now: number): Taken | undefined {
  if (count.until <= now) count.tokens = 0;
  if (count.tokens < amount) return undefined;
  count.tokens -= amount;
  return { isTaken: true, state: stateOf(terms, count.left + count.tokens, count.storeFullAt, now) };
}

/** What the store said of others, or a moment ago; undefined: it has to be asked. */
function refusedBy(
  refusal: Refusal | undefined,
  count: Count,
  { terms, amount }: LimitClaim,
  now: number,
): Taken | undefined {
  if (refusal === undefined || refusal.terms !== terms || amount < refusal.amount) return undefined;
  const since = now - refusal.at;
  if (since < 0 || since >= Math.min(refusal.wait, BELIEVED)) return undefined;
  const state = stateOf(terms, count.left, count.storeFullAt, now);
  return { isTaken: false, state, wait: refusal.wait - since };
}

/** So many are of use before they are no longer kept. */
function largest({ quota, period, calendar }: LimitTerms): number {
  return calendar === undefined ? Math.max(1, Math.floor((quota * AHEAD) / period)) : MOST;
}

function stateOf({ name, quota, period, calendar }: LimitTerms, left: number, fullAt: number, now: number): LimitState {
  const end = calendar === undefined ? fullAt : calendarEnd(calendar, now);
  return { name, quota, window: seconds(period), remaining: Math.max(0, left), reset: seconds(Math.max(0, end - now)) };
}

function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
