import { setTimeout as pause } from "node:timers/promises";
import type { SqlExecutor } from "../../../lib/stores/sql/database.ts";
import { isBusy, isStorageFailure, LOCK_TIMEOUT, PAUSE } from "./busy.ts";
import { InnerFailure, type NodeSqlDatabase } from "./database.ts";

export interface GroupCommitOptions {
  /** How long work is tried again while another process holds a lock, milliseconds. */
  readonly lockTimeout?: number;
  /** Called after each commit with the number of writes in it. */
  readonly committed?: (writes: number) => void;
  /**
   * Called when writes cannot be kept, before they are refused. True: room was made, and they are tried again.
   *
   * @param attempts how often room was made for these writes before
   */
  readonly failed?: (error: unknown, attempts: number) => boolean;
}

export interface GroupCommit extends SqlExecutor {
  /** Copies the write-ahead log into the database as far as that waits for nobody. */
  checkpoint(): void;
  /** The same for all of it, and gives back the space of the log. */
  compact(): void;
  /** Commits what is queued and closes the database; waits for the write lock like a write. Later calls reject. */
  close(): void;
}

/** By compacting the log, and by giving up the reserve. */
const MAX_ATTEMPTS = 2;

interface Write {
  /** When it gives up waiting for the write lock, by `performance.now()`. */
  readonly deadline: number;
  run(): void;
  succeed(): void;
  fail(error: unknown): void;
}

/**
 * Writes queued in the same turn of the event loop share one commit and thus one flush to disk. A failing one undoes only
 * itself: the others are then run once more without it. All settle after the commit; if that fails, all reject. Where another
 * process holds a lock, work is tried again for `lockTimeout` milliseconds, and the process goes on with other work meanwhile.
 */
export function groupCommit(db: NodeSqlDatabase, options: GroupCommitOptions = {}): GroupCommit {
  const { lockTimeout = LOCK_TIMEOUT, committed, failed = () => false } = options;
  let queue: Write[] = [];
  let closed = false;

  const flush = (): void => {
    const writes = queue;
    queue = [];
    if (writes.length === 0) return;
    let attempt = commit(db, writes);
    for (let attempts = 0; attempt.failed !== undefined && isStorageFailure(attempt.failed.error); attempts++) {
      if (attempts === MAX_ATTEMPTS || !failed(attempt.failed.error, attempts)) break;
      attempt = commit(db, writes);
    }
    const { busy } = attempt;
    if (busy === undefined) {
      settle(writes, attempt);
      if (attempt.failed === undefined) committed?.(writes.length);
      return;
    }
    const now = performance.now();
    queue = writes.filter(({ deadline }) => deadline > now);
    if (queue.length < writes.length) failed(busy, 0);
    for (const write of writes) if (write.deadline <= now) write.fail(busy);
    if (queue.length > 0 && !closed) setTimeout(flush, PAUSE);
  };

  const untilFree = async <T>(work: () => T): Promise<T> => {
    const deadline = performance.now() + lockTimeout;
    for (;;) {
      refuseWhen(closed);
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      await pause(PAUSE);
    }
  };

  return {
    read: (work) => untilFree(() => db.snapshot(() => work(db))),
    readLatest: (work) => untilFree(() => work(db)),
    write: async (work) => {
      refuseWhen(closed);
      return new Promise((resolve, reject) => {
        if (queue.length === 0) setImmediate(flush);
        queue.push(pendingWrite(() => work(db), performance.now() + lockTimeout, resolve, reject));
      });
    },
    checkpoint: () => {
      if (!closed) db.checkpoint();
    },
    compact: () => {
      if (!closed) db.compact();
    },
    close: () => {
      if (closed) return;
      closed = true;
      while (queue.length > 0) flush();
      db.close();
    },
  };
}

function pendingWrite<T>(
  work: () => T,
  deadline: number,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Write {
  let outcome: { readonly value: T } | undefined;
  return {
    deadline,
    run: () => {
      outcome = { value: work() };
    },
    succeed: () => {
      if (outcome !== undefined) resolve(outcome.value);
    },
    fail: reject,
  };
}

/** Runs the writes. `busy` is the error that says that another process holds the write lock; then none has run. */
function commit(db: NodeSqlDatabase, writes: readonly Write[]): Attempt & { readonly busy?: unknown } {
  const first = commitAtOnce(db, writes);
  const attempt = first.oneFailed ? commitEach(db, writes) : first;
  const { failed } = attempt;
  return failed !== undefined && !failed.begun && isBusy(failed.error) ? { ...attempt, busy: failed.error } : attempt;
}

function settle(writes: readonly Write[], { failures, failed }: Attempt): void {
  for (const write of writes) {
    if (failed !== undefined) write.fail(failed.error);
    else if (failures.has(write)) write.fail(failures.get(write));
    else write.succeed();
  }
}

interface Attempt {
  /** Writes that undid themselves. */
  readonly failures: ReadonlyMap<Write, unknown>;
  /** Set when nothing is committed; `begun` once the write lock was held. */
  readonly failed?: { readonly error: unknown; readonly begun: boolean };
}

/** All writes without savepoints, which cost as much as a statement each. When one fails, none has happened. */
function commitAtOnce(db: NodeSqlDatabase, writes: readonly Write[]): Attempt & { readonly oneFailed: boolean } {
  const failures = new Map();
  let begun = false;
  let ran = false;
  try {
    db.flatTransaction(() => {
      begun = true;
      for (const write of writes) write.run();
      ran = true;
    });
    return { failures, oneFailed: false };
  } catch (error) {
    return { failures, failed: { error, begun }, oneFailed: begun && (!ran || error instanceof InnerFailure) };
  }
}

/** Each write in a savepoint of its own, to undo only those that fail. */
function commitEach(db: NodeSqlDatabase, writes: readonly Write[]): Attempt {
  const failures = new Map<Write, unknown>();
  let begun = false;
  try {
    db.transaction(() => {
      begun = true;
      for (const write of writes) {
        try {
          db.transaction(() => write.run());
        } catch (error) {
          // Without the outer transaction, later savepoints would commit on their own. And where there is no room, none is
          // kept, so that all can be tried again: what is committed must not run a second time.
          if (!db.inTransaction() || isStorageFailure(error)) throw error;
          failures.set(write, error);
        }
      }
    });
    return { failures };
  } catch (error) {
    return { failures, failed: { error, begun } };
  }
}

function refuseWhen(closed: boolean): void {
  if (closed) throw new Error("The store is closed.");
}
