import type { SqlExecutor } from "../../../lib/stores/sql/executor.ts";
import type { NodeSqlDatabase } from "./database.ts";

export interface GroupCommit extends SqlExecutor {
  /** Commits what is queued and closes the database. Later calls reject. */
  close(): void;
}

interface Write {
  run(): void;
  succeed(): void;
  fail(error: unknown): void;
}

/**
 * Writes queued in the same turn of the event loop share one commit and thus one flush to disk. Each has a savepoint of
 * its own: a failing one undoes only itself. All settle after the commit; if that fails, all reject.
 */
export function groupCommit(db: NodeSqlDatabase): GroupCommit {
  let queue: Write[] = [];
  let closed = false;

  const flush = (): void => {
    const writes = queue;
    queue = [];
    if (writes.length > 0) commit(db, writes);
  };

  return {
    read: async (work) => {
      refuseWhen(closed);
      return db.snapshot(() => work(db));
    },
    write: async (work) => {
      refuseWhen(closed);
      return new Promise((resolve, reject) => {
        if (queue.length === 0) setImmediate(flush);
        queue.push(pendingWrite(() => work(db), resolve, reject));
      });
    },
    close: () => {
      if (closed) return;
      flush();
      closed = true;
      db.close();
    },
  };
}

function pendingWrite<T>(work: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): Write {
  let outcome: { readonly value: T } | undefined;
  return {
    run: () => {
      outcome = { value: work() };
    },
    succeed: () => {
      if (outcome !== undefined) resolve(outcome.value);
    },
    fail: reject,
  };
}

function commit(db: NodeSqlDatabase, writes: readonly Write[]): void {
  const failures = new Map<Write, unknown>();
  try {
    db.transaction(() => {
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
    for (const write of writes) write.fail(error);
    return;
  }
  for (const write of writes) {
    if (failures.has(write)) write.fail(failures.get(write));
    else write.succeed();
  }
}

function refuseWhen(closed: boolean): void {
  if (closed) throw new Error("The store is closed.");
}
