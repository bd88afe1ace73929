export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/**
 * A SQLite database, synchronous, as `node:sqlite` and Durable Objects both offer it. Statements use `?` parameters and
 * only SQL that both accept: no PRAGMA, no BEGIN or SAVEPOINT. What a statement changed is asked with RETURNING, since
 * Durable Objects count written index entries as rows.
 */
export interface SqlDatabase {
  all(sql: string, ...parameters: readonly SqlValue[]): readonly SqlRow[];
  run(sql: string, ...parameters: readonly SqlValue[]): void;
  /** Undoes everything the function did if it throws. Nests. */
  transaction<T>(work: () => T): T;
}

/** Version of the records' own shape, stored with each, so that a later release can tell what it reads. */
export const RECORD_SCHEMA = 1;

/** Runs synchronous work on a database that other callers use too. */
export interface SqlExecutor {
  /** One consistent, committed state for all statements of the function. */
  read<T>(work: (db: SqlDatabase) => T): Promise<T>;
  /** Each statement sees what was committed before it, which may differ. Cheaper than `read`, by a transaction. */
  readLatest<T>(work: (db: SqlDatabase) => T): Promise<T>;
  /** All or nothing, durable when it resolves; rejects with what the function threw. */
  write<T>(work: (db: SqlDatabase) => T): Promise<T>;
}
