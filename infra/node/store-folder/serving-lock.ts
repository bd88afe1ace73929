import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createMissing } from "../files/create-missing.ts";
import { makeFolder } from "../files/make-folder.ts";
import { isBusy } from "../sqlite/busy.ts";
import { StartupError } from "../startup-error.ts";

export interface ServingLock {
  release(): void;
}

/** How long it waits for a server that is just ending, milliseconds. */
const PATIENCE = 1_000;

/**
 * Takes the store in the folder for this server alone, until `release` or the end of the process. It is an exclusive lock of
 * SQLite on an empty file, which the operating system gives back when the process ends, however it ends. Keep a reference to
 * the result: the lock ends when it is garbage-collected.
 * @throws StartupError when another server has it
 */
export function lockServing(folder: string): ServingLock {
  makeFolder(folder);
  const file = join(folder, "serving.lock");
  createMissing(file);
  const connection = new DatabaseSync(file, { timeout: PATIENCE });
  try {
    // Nothing is ever written, so that no journal has to be beside it.
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return { release: () => connection.close() };
  } catch (error) {
    connection.close();
    throw isBusy(error) ? new StartupError(occupied(folder, file)) : error;
  }
}

function occupied(folder: string, file: string): string {
  return (
    `Another server serves from the store in ${folder}. Stop that server first, or give this one a store of its own ` +
    `(store.path). "fuser ${file}" names the process of the other server.`
  );
}
