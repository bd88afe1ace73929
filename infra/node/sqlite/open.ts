import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations } from "../../../lib/stores/sql/stores.ts";
import { BUSY_TIMEOUT, blockWhileBusy } from "./busy.ts";
import { type NodeSqlDatabase, nodeSqlDatabase } from "./database.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";

/**
 * Opens `countersign.db` in the folder, creating both when missing, readable by this user only. Several processes may
 * have it open, and several may create it at once: servers and the administration commands.
 */
export function openSqlite(folder: string): GroupCommit {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "countersign.db");
  closeSync(openSync(file, "a", 0o600));
  return groupCommit(blockWhileBusy(() => openMigrated(file)));
}

/** SQLite does not wait at all for some of the locks that a change of the journal mode takes. */
function openMigrated(file: string): NodeSqlDatabase {
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, allowExtension: false });
  try {
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec("PRAGMA synchronous = FULL");
    const db = nodeSqlDatabase(connection);
    migrate(db, allMigrations);
    return db;
  } catch (error) {
    connection.close();
    throw error;
  }
}
