/**
 * The generic cell rate algorithm (ITU-T I.371) on one number: when all that was taken is earned again, milliseconds since the
 * epoch. Whoever has taken nothing for long is full, at any time before now.
 */
export interface CellRate {
  /** So many a period. */
  readonly quota: number;
  /** Milliseconds. */
  readonly period: number;
  /** How many at once by who is full. */
  readonly burst: number;
}

/** How many there are to take. */
export function cellsLeft(fullAt: number, rate: CellRate, now: number): number {
  return Math.floor((now + whole(rate) - since(fullAt, rate, now)) / interval(rate) + ROUNDING);
}

/** The same number after so many were taken. That there are so many is the caller's to know. */
export function cellsTaken(fullAt: number, cells: number, rate: CellRate, now: number): number {
  return since(fullAt, rate, now) + cells * interval(rate);
}

/** Milliseconds until there are so many; 0: there are. More than `burst` there never are. */
export function cellsWait(fullAt: number, cells: number, rate: CellRate, now: number): number {
  return Math.max(0, since(fullAt, rate, now) + cells * interval(rate) - now - whole(rate));
}

/** Milliseconds that one takes to earn: rounded up to a whole number of steps, so that sums are exact on every store. */
export function interval({ quota, period }: CellRate): number {
  return Math.ceil((period / quota) * STEPS) / STEPS;
}

/** Milliseconds that a whole burst takes to earn. */
export function whole(rate: CellRate): number {
  return rate.burst * interval(rate);
}

/** The shortest interval that is counted well: rounding up makes a rate slower by a fortieth at most. Milliseconds. */
export const FINEST_INTERVAL = 0.01;

/** In a millisecond. A double has no finer ones for times of the years until 2109. */
const STEPS = 2_048;

/** Sums of fractions of milliseconds: a millionth of one is none. */
const ROUNDING = 1e-6;

/** Never in the past; and a clock that was set back finds nobody deeper than empty. */
function since(fullAt: number, rate: CellRate, now: number): number {
  return Math.min(Math.max(fullAt, now), now + whole(rate));
}
