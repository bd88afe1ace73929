import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations } from "../../../lib/stores/sql/stores.ts";
import { createMissing } from "../files/create-missing.ts";
import { makeFolder } from "../files/make-folder.ts";
import { refuseForeignDatabase } from "../store-folder/unusable-store.ts";
import { BUSY_TIMEOUT, blockWhileBusy } from "./busy.ts";
import { type NodeSqlDatabase, nodeSqlDatabase } from "./database.ts";
import { type GroupCommit, type GroupCommitOptions, groupCommit } from "./group-commit.ts";

/**
 * Pages of the write-ahead log, 4 KiB each, after which a commit copies it into the database. A page that changes often is
 * copied once for all its changes in between. A server has it copied earlier, by a thread of its own.
 */
const CHECKPOINT_PAGES = 16_000;

/**
 * Opens `countersign.db` in the folder, creating both when missing, readable by this user only. Several processes may
 * have it open, and several may create it at once: servers and the administration commands.
 */
export function openSqlite(folder: string, options?: GroupCommitOptions): GroupCommit {
  makeFolder(folder);
  const file = fileOf(folder);
  createMissing(file);
  return groupCommit(
    blockWhileBusy(() => openMigrated(file)),
    options,
  );
}

/** A connection to the database of a store that is open in this process. */
export function connectSqlite(folder: string): DatabaseSync {
  return connect(fileOf(folder));
}

function fileOf(folder: string): string {
  return join(folder, "countersign.db");
}

function connect(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: BUSY_TIMEOUT, allowExtension: false });
}

/** SQLite does not wait at all for some of the locks that a change of the journal mode takes. */
function openMigrated(file: string): NodeSqlDatabase {
  const connection = connect(file);
  try {
    refuseForeignDatabase(connection, file);
    connection.exec("PRAGMA journal_mode = WAL");
    connection.exec("PRAGMA synchronous = FULL");
    connection.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    const db = nodeSqlDatabase(connection);
    migrate(db, allMigrations);
    return db;
  } catch (error) {
    connection.close();
    throw error;
  }
}
