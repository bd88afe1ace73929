import { withTimeout } from "../../kernel/timers.ts";

/** What was asked of an upstream did not come in time; it may come yet. */
export class LateError extends Error {
  constructor(limit: number) {
    super(`no answer within ${limit} ms`);
    this.name = "LateError";
  }
}

/** Settles as the work does, or rejects with `LateError` after so many milliseconds. The work goes on. */
export function inTime<T>(limit: number, work: Promise<T>): Promise<T> {
  return withTimeout(limit, work, () => new LateError(limit));
}
