import { setTimeout as pause } from "node:timers/promises";
import type { SqlExecutor } from "../../../lib/stores/sql/executor.ts";
import { isBusy, PATIENCE, PAUSE } from "./busy.ts";
import type { NodeSqlDatabase } from "./database.ts";

export interface GroupCommit extends SqlExecutor {
  /** Commits what is queued and closes the database; waits for the write lock like a write. Later calls reject. */
  close(): void;
}

interface Write {
  /** When it gives up waiting for the write lock, by `performance.now()`. */
  readonly deadline: number;
  run(): void;
  succeed(): void;
  fail(error: unknown): void;
}

/**
 * Writes queued in the same turn of the event loop share one commit and thus one flush to disk. Each has a savepoint of
 * its own: a failing one undoes only itself. All settle after the commit; if that fails, all reject. Where another
 * process holds a lock, work is tried again for `patience` milliseconds, and the process goes on with other work meanwhile.
 */
export function groupCommit(db: NodeSqlDatabase, patience = PATIENCE): GroupCommit {
  let queue: Write[] = [];
  let closed = false;

  const flush = (): void => {
    const writes = queue;
    queue = [];
    if (writes.length === 0) return;
    const busy = commit(db, writes);
    if (busy === undefined) return;
    const now = performance.now();
    queue = writes.filter(({ deadline }) => deadline > now);
    for (const write of writes) if (write.deadline <= now) write.fail(busy);
    if (queue.length > 0 && !closed) setTimeout(flush, PAUSE);
  };

  return {
    read: async (work) => {
      const deadline = performance.now() + patience;
      for (;;) {
        refuseWhen(closed);
        try {
          return db.snapshot(() => work(db));
        } catch (error) {
          if (!isBusy(error) || performance.now() >= deadline) throw error;
        }
        await pause(PAUSE);
      }
    },
    write: async (work) => {
      refuseWhen(closed);
      return new Promise((resolve, reject) => {
        if (queue.length === 0) setImmediate(flush);
        queue.push(pendingWrite(() => work(db), performance.now() + patience, resolve, reject));
      });
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

/** Settles the writes, or returns the error that says that another process holds the write lock; then none has run. */
function commit(db: NodeSqlDatabase, writes: readonly Write[]): unknown {
  let begun = false;
  const failures = new Map<Write, unknown>();
  try {
    db.transaction(() => {
      begun = true;
      for (const write of writes) {
        try {
          db.transaction(() => write.run());
        } catch (error) {
          // Without the outer transaction, later savepoints would commit on their own.
          if (!db.inTransaction()) throw error;
          failures.set(write, error);
        }
      }
    });
  } catch (error) {
    if (!begun && isBusy(error)) return error;
    for (const write of writes) write.fail(error);
    return undefined;
  }
  for (const write of writes) {
    if (failures.has(write)) write.fail(failures.get(write));
    else write.succeed();
  }
  return undefined;
}

function refuseWhen(closed: boolean): void {
  if (closed) throw new Error("The store is closed.");
}
