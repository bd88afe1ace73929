import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { fileErrorReason } from "../files/file-error.ts";
import { LOCK_TIMEOUT, resultCode, SQLITE_CORRUPT } from "../sqlite/busy.ts";
import { StartupError } from "../startup-error.ts";
import { persistentFile, readPersistentFile } from "./persistent-file.ts";
import { refuseDamagedDatabase } from "./unusable-store.ts";

/** Files that exist only beside the database. */
const PERSISTENT_FILES = ["client-id.key", "signing-keys.key", "soid"];

/** `PRAGMA application_id` of a backup on which no store has been opened yet, "CSBK"; that of a store is 0. */
const BACKUP = 0x4353424b;

/**
 * Turns the copy of a store's database into a backup: adds the files beside the database, in a table that no store has.
 * @returns their names
 */
export function addPersistentFiles(copy: DatabaseSync, folder: string): readonly string[] {
  const found = PERSISTENT_FILES.flatMap((name) => {
    const content = readPersistentFile(folder, name);
    return content === undefined ? [] : [{ name, content }];
  });
  copy.exec("BEGIN; CREATE TABLE kept_files (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT");
  const insert = copy.prepare("INSERT INTO kept_files (name, content) VALUES (?, ?)");
  for (const { name, content } of found) insert.run(name, content);
  copy.exec(`PRAGMA application_id = ${BACKUP}; COMMIT`);
  return found.map(({ name }) => name);
}

/**
 * If `countersign.db` is a backup, turns it into a store again: moves its files out of the database and beside it. Call it
 * before anything opens the database.
 * @throws StartupError when the backup is damaged, or the folder holds parts of another store; then nothing was changed
 */
export function restorePersistentFiles(folder: string): void {
  const file = join(folder, "countersign.db");
  // Looked at first: another process that restores at this moment makes its log after the database is no backup any more.
  const hasLog = sizeOf(`${file}-wal`) > 0;
  const database = statSync(file, { throwIfNoEntry: false });
  if (database === undefined) return;
  if (!database.isFile()) throw new StartupError(`The database ${file} cannot be opened: it is no file.`);
  try {
    if (!hasLog && sizeOf(`${file}-journal`) > 0) rollBack(file);
    if (sizeOf(file) === 0 || !isUnopenedBackup(file, hasLog)) return;
    if (hasLog) throw new StartupError(`${file} is a backup, but ${file}-wal is of another database. ${EMPTY_FOLDER}`);
    chmodSync(file, 0o600);
    restore(folder, file);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database ${file} cannot be opened: ${fileErrorReason(error)}.`, { cause: error });
  }
}

const EMPTY_FOLDER = "Restore into an empty folder.";

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** A process that died in its first change, which a restore is, leaves a journal. SQLite undoes that change when it reads. */
function rollBack(file: string): void {
  const connection = new DatabaseSync(file, { timeout: LOCK_TIMEOUT });
  try {
    connection.prepare("SELECT COUNT(*) FROM sqlite_schema").get();
  } finally {
    connection.close();
  }
}

/** By the file alone, without a log beside it, which SQLite would apply whatever database it is of. */
function isUnopenedBackup(file: string, hasLog: boolean): boolean {
  // Not by reading the file: closing it would drop the locks that other connections of this process hold on it.
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  const connection = new DatabaseSync(url, { readOnly: true });
  try {
    return isBackup(connection);
  } catch (error) {
    // A store whose log was being copied into it when the process died is whole only together with its log.
    if (hasLog && resultCode(error) === SQLITE_CORRUPT) return false;
    throw error;
  } finally {
    connection.close();
  }
}

function restore(folder: string, file: string): void {
  const connection = new DatabaseSync(file, { timeout: LOCK_TIMEOUT });
  try {
    refuseDamagedDatabase(connection);
    // The client id secret leaves no traces in free pages.
    connection.exec("PRAGMA secure_delete = ON; BEGIN IMMEDIATE");
    if (!isBackup(connection)) return;
    putFiles(connection, folder);
    connection.exec("DROP TABLE kept_files; PRAGMA application_id = 0; COMMIT");
  } finally {
    connection.close();
  }
}

function putFiles(connection: DatabaseSync, folder: string): void {
  const carried = connection
    .prepare("SELECT name, content FROM kept_files")
    .all()
    .flatMap(({ name, content }) =>
      // No other name ever becomes a path.
      PERSISTENT_FILES.includes(String(name)) && content instanceof Uint8Array ? [{ name: String(name), content }] : [],
    );
  for (const { name, content } of carried) {
    const present = readPersistentFile(folder, name);
    if (present === undefined || present.equals(content)) continue;
    const file = join(folder, name);
    throw new StartupError(`${file} is not the one of the backup in countersign.db. ${EMPTY_FOLDER}`);
  }
  for (const { name, content } of carried) persistentFile(folder, name, () => content);
}

function isBackup(connection: DatabaseSync): boolean {
  return connection.prepare("PRAGMA application_id").get()?.application_id === BACKUP;
}
