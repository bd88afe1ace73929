import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlDatabase, SqlRow } from "../../../lib/stores/sql/database.ts";

export interface NodeSqlDatabase extends SqlDatabase {
  /** One consistent state for all statements of the function; it may not write. */
  snapshot<T>(work: () => T): T;
  /** False when SQLite has rolled the transaction back by itself, as it does on a full disk. */
  inTransaction(): boolean;
  close(): void;
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

  return {
    all: (sql, ...parameters) => prepared(sql).all(...parameters) as unknown as readonly SqlRow[],
    run: (sql, ...parameters) => {
      prepared(sql).run(...parameters);
    },
    transaction: (work) => {
      if (depth === 0) return bracket("BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"], work);
      const name = `nested_${depth}`;
      return bracket(`SAVEPOINT ${name}`, `RELEASE ${name}`, [`ROLLBACK TO ${name}`, `RELEASE ${name}`], work);
    },
    snapshot: (work) => bracket("BEGIN", "COMMIT", ["ROLLBACK"], work),
    inTransaction: () => connection.isTransaction,
    close: () => {
      statements.clear();
      connection.close();
    },
  };
}
