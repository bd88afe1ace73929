import type { SqlDatabase, SqlRow } from "../../lib/stores/sql/database.ts";
import { type MigrationSet, migrate } from "../../lib/stores/sql/migrate.ts";

/** The object's own SQLite database, with the sets' tables in place. */
export function openDatabase(storage: DurableObjectStorage, sets: readonly MigrationSet[]): SqlDatabase {
  const db: SqlDatabase = {
    all: (sql, ...parameters) => storage.sql.exec(sql, ...parameters).toArray() as readonly SqlRow[],
    run: (sql, ...parameters) => {
      storage.sql.exec(sql, ...parameters);
    },
    transaction: (work) => storage.transactionSync(work),
  };
  migrate(db, sets);
  return db;
}
