/** How long work waits for a lock that another process holds, milliseconds, before it gives up. */
export const LOCK_TIMEOUT = 5_000;

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

/**
 * Whether an error of `node:sqlite` says that what was written could not be kept, or not be found out: no space, a limit or a
 * failure of the disk, a file system that is read-only or gone, no memory. Nothing is wrong with what was asked for.
 */
export function isStorageFailure(error: unknown): boolean {
  return STORAGE_FAILURES.includes(resultCode(error) ?? 0);
}

/** Whether the store cannot do it now and soon may. */
export function isPassing(error: unknown): boolean {
  return isBusy(error) || isStorageFailure(error);
}

/** Repeats work while it is busy, for `LOCK_TIMEOUT` milliseconds. The whole process waits: for its start only. */
export function blockWhileBusy<T>(work: () => T): T {
  const deadline = performance.now() + LOCK_TIMEOUT;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  }
}

/** Primary result codes (https://sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;
/** NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL: the locks of the write-ahead log. */
const STORAGE_FAILURES: readonly number[] = [7, 8, 10, 13, 14, 15];
export const SQLITE_FULL = 13;
export const SQLITE_CORRUPT = 11;

/** The primary result code of an error of `node:sqlite`: the lowest byte of the extended one. Undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
