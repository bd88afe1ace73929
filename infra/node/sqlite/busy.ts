import { resultCode, SQLITE_BUSY } from "./result-code.ts";

/** How long work waits for a lock that another process holds, milliseconds, before it gives up. */
export const PATIENCE = 5_000;

/**
 * How long SQLite itself waits for a lock, milliseconds. Nothing else runs in this process meanwhile, so it is just long
 * enough for what another process usually commits; who waits longer waits between attempts.
 */
export const BUSY_TIMEOUT = 50;

/** Between two attempts, milliseconds. */
export const PAUSE = 50;

/** Whether an error of `node:sqlite` says that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** Repeats work while it is busy, for as long as patience lasts. The whole process waits: for its start only. */
export function blockWhileBusy<T>(work: () => T): T {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
}
