import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createMissing } from "../files/create-missing.ts";
import { isBusy } from "../sqlite/busy.ts";

export interface ServingMark {
  /** Whether no other server had the store when this one came. */
  readonly alone: boolean;
  release(): void;
}

/** How long it waits while another server looks whether it is alone, milliseconds. */
const PATIENCE = 1_000;

/**
 * Marks the store in the folder as served by this server until `release` or the end of the process. The mark is a shared
 * lock of SQLite on an empty file, which the operating system releases when the process ends. Keep a reference to the result:
 * the mark ends when it is garbage-collected.
 */
export function markServing(folder: string): ServingMark {
  const file = join(folder, "serving.lock");
  createMissing(file);
  const connection = new DatabaseSync(file);
  try {
    const alone = isAlone(connection);
    connection.exec(`PRAGMA busy_timeout = ${PATIENCE}; BEGIN; SELECT count(*) FROM sqlite_schema`);
    return { alone, release: () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** An exclusive lock is available only if nobody has a shared one. */
function isAlone(connection: DatabaseSync): boolean {
  try {
    connection.exec("BEGIN EXCLUSIVE; ROLLBACK");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
