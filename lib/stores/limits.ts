import { type CellRate, cellsLeft, cellsTaken, cellsWait } from "../kernel/gcra.ts";
import { once, type Port } from "./operations.ts";

/** What is asked of a count that instances share (D168). */
export interface LeaseRequest {
  /** Of limit, kind of window and caller: SHA-256, base64url. */
  readonly key: string;
  readonly rate: CellRate;
  /** The count begins anew with each, in UTC; absent: it is earned again little by little. */
  readonly calendar?: "day" | "month";
  /** What is needed now: without so many nothing is granted. */
  readonly amount: number;
  /** What would be of use: as many as are there, but of what is left a hundredth at most. */
  readonly wanted: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Lease {
  /** Deducted already; 0: there were fewer than are needed. */
  readonly granted: number;
  readonly left: number;
  /** Milliseconds until what was needed would be there; 0 where it was granted. */
  readonly wait: number;
  /** Milliseconds since the epoch: when all of it is there again. */
  readonly fullAt: number;
}

/** Counts of limits. Linearizable: of any number of instances none is granted what another was. */
export const LIMITS = {
  lease: once<(request: LeaseRequest) => Lease>(),
};

export type LimitCounts = Port<typeof LIMITS>;

/** What is kept of a count: of a calendar's how many were taken, else when it is full again. */
export interface KeptCount {
  readonly value: number;
  /** Nothing of it matters from then on. Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What to keep, and what to answer. */
export function leased(
  kept: KeptCount | undefined,
  request: LeaseRequest,
): { readonly kept: KeptCount; readonly lease: Lease } {
  return request.calendar === undefined ? leasedRate(kept, request) : leasedCalendar(kept, request);
}

function leasedRate(kept: KeptCount | undefined, { rate, amount, wanted, now }: LeaseRequest) {
  const before = kept?.value ?? 0;
  const granted = grantable(cellsLeft(before, rate, now), amount, wanted);
  const value = cellsTaken(before, granted, rate, now);
  const left = cellsLeft(value, rate, now);
  const wait = granted > 0 ? 0 : cellsWait(before, amount, rate, now);
  return { kept: { value, expiresAt: Math.ceil(value) }, lease: { granted, left, wait, fullAt: value } };
}

function leasedCalendar(kept: KeptCount | undefined, { rate, calendar, amount, wanted, now }: LeaseRequest) {
  const end = calendarEnd(calendar ?? "day", now);
  // What was counted in a window before counts no more. A clock that was set back goes on with the later one.
  const isOver = kept === undefined || kept.expiresAt <= now;
  const used = isOver ? 0 : kept.value;
  const expiresAt = isOver ? end : kept.expiresAt;
  const granted = grantable(rate.quota - used, amount, wanted);
  const value = used + granted;
  const wait = granted > 0 ? 0 : expiresAt - now;
  return {
    kept: { value, expiresAt },
    lease: { granted, left: Math.max(0, rate.quota - value), wait, fullAt: expiresAt },
  };
}

/** As much as is wanted, but no more than a hundredth of what is there, and never less than is needed. */
export function grantable(left: number, amount: number, wanted: number): number {
  if (left < amount) return 0;
  return Math.max(amount, Math.min(wanted, Math.floor(left / 100)));
}

/** The beginning of the next day or month in UTC. */
export function calendarEnd(calendar: "day" | "month", now: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return calendar === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}
