import { calendarEnd } from "../stores/limits.ts";
import type { LimitPolicy, LimitState, LimitTerms } from "./limiter.ts";

/** What became of one claim. */
export interface Taken {
  readonly isTaken: boolean;
  readonly state?: LimitState;
  /** Milliseconds. */
  readonly wait?: number;
  /** The store could not be asked. */
  readonly isAway?: true;
  /** Gives back what was taken. */
  readonly undo?: () => void;
}

/** @param left in what is counted, `fullAt` milliseconds since the epoch */
export function stateOf(terms: LimitTerms, left: number, fullAt: number, now: number): LimitState {
  const end = terms.calendar === undefined ? fullAt : calendarEnd(terms.calendar, now);
  const remaining = Math.max(0, left) * (terms.unit?.size ?? 1);
  return { ...policyOf(terms), remaining, reset: seconds(Math.max(0, end - now)) };
}

export function policyOf({ name, quota, period, unit }: LimitTerms): LimitPolicy {
  const policy = { name, quota: quota * (unit?.size ?? 1), window: seconds(period) };
  return unit === undefined ? policy : { ...policy, unit: unit.name };
}

export function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
