import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlDatabase, SqlRow } from "../../../lib/stores/sql/database.ts";

export interface NodeSqlDatabase extends SqlDatabase {
  /**
   * A transaction whose inner transactions are parts of it and have no savepoints. Cheaper where failures are rare.
   * @throws InnerFailure when an inner one failed and the work caught that: it could not be undone alone
   */
  flatTransaction<T>(work: () => T): T;
  /** One consistent state for all statements of the function; it may not write. */
  snapshot<T>(work: () => T): T;
  /** Copies the write-ahead log into the database as far as that waits for nobody. */
  checkpoint(): void;
  /** The same for all of it, where nobody reads an older state, and gives back the space of the log. */
  compact(): void;
  /** False when SQLite has rolled the transaction back by itself, as it does on a full disk. */
  inTransaction(): boolean;
  close(): void;
}

export class InnerFailure extends Error {
  override readonly name = "InnerFailure";
}

/** Transactions take the write lock at their beginning, so that they never fail half-way for want of it. */
export function nodeSqlDatabase(connection: DatabaseSync): NodeSqlDatabase {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  let depth = 0;
  /** Set while a flat transaction runs. */
  let flat: { innerFailed: boolean } | undefined;

  const bracket = <T>(begin: string, commit: string, undo: readonly string[], work: () => T): T => {
    prepared(begin).run();
    depth += 1;
    try {
      const value = work();
      prepared(commit).run();
      return value;
    } catch (error) {
      if (connection.isTransaction) for (const statement of undo) prepared(statement).run();
      throw error;
    } finally {
      depth -= 1;
    }
  };
  const outermost = <T>(work: () => T): T => bracket("BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"], work);

  const inFlat = <T>(state: NonNullable<typeof flat>, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      state.innerFailed = true;
      throw error;
    }
  };

  return {
    all: (sql, ...parameters) => prepared(sql).all(...parameters) as unknown as readonly SqlRow[],
    run: (sql, ...parameters) => {
      prepared(sql).run(...parameters);
    },
    transaction: (work) => {
      if (flat !== undefined) return inFlat(flat, work);
      if (depth === 0) return outermost(work);
      const name = `nested_${depth}`;
      return bracket(`SAVEPOINT ${name}`, `RELEASE ${name}`, [`ROLLBACK TO ${name}`, `RELEASE ${name}`], work);
    },
    flatTransaction: (work) =>
      outermost(() => {
        const state = { innerFailed: false };
        flat = state;
        try {
          const value = work();
          if (state.innerFailed) throw new InnerFailure("An inner transaction failed.");
          return value;
        } finally {
          flat = undefined;
        }
      }),
    snapshot: (work) => bracket("BEGIN", "COMMIT", ["ROLLBACK"], work),
    checkpoint: () => {
      prepared("PRAGMA wal_checkpoint(PASSIVE)").get();
    },
    compact: () => {
      prepared("PRAGMA wal_checkpoint(TRUNCATE)").get();
    },
    inTransaction: () => connection.isTransaction,
    close: () => {
      statements.clear();
      connection.close();
    },
  };
}
