import type { SqlDatabase } from "./database.ts";

/** Runs synchronous work on a database that other callers use too. */
export interface SqlExecutor {
  /** One consistent, committed state for all statements of the function. */
  read<T>(work: (db: SqlDatabase) => T): Promise<T>;
  /** Each statement sees what was committed before it, which may differ. Cheaper than `read`, by a transaction. */
  readLatest<T>(work: (db: SqlDatabase) => T): Promise<T>;
  /** All or nothing, durable when it resolves; rejects with what the function threw. */
  write<T>(work: (db: SqlDatabase) => T): Promise<T>;
}
