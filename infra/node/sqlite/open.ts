import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations } from "../../../lib/stores/sql/stores.ts";
import { nodeSqlDatabase } from "./database.ts";
import { type GroupCommit, groupCommit } from "./group-commit.ts";

/** How long a writer waits for another process, milliseconds, before it gives up. */
const BUSY_TIMEOUT = 5000;

/**
 * Opens `countersign.db` in the folder, creating both when missing, readable by this user only. Several processes may
 * have it open: the server and the administration commands.
 */
export function openSqlite(folder: string): GroupCommit {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "countersign.db");
  closeSync(openSync(file, "a", 0o600));
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT, allowExtension: false });
  try {
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec("PRAGMA synchronous = FULL");
    const db = nodeSqlDatabase(connection);
    migrate(db, allMigrations);
    return groupCommit(db);
  } catch (error) {
    connection.close();
    throw error;
  }
}
