import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { resultCode } from "../sqlite/busy.ts";
import { StartupError } from "../startup-error.ts";

/** Adds the name of the database to an error of SQLite. Returns any other error unchanged. */
export function namingStore(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || resultCode(error) === undefined) return error;
  const file = join(folder, "countersign.db");
  return new StartupError(`The store ${file} cannot be used: ${error.message}.`, { cause: error });
}

/**
 * Refuses a database whose pages, or whose indexes and tables, do not fit together.
 * @throws Error with the first fault
 */
export function refuseDamagedDatabase(connection: DatabaseSync): void {
  const [first] = connection.prepare("PRAGMA integrity_check(1)").all();
  const verdict = String(first?.integrity_check);
  if (verdict !== "ok") throw new Error(`it is damaged: ${verdict.replaceAll(/\s+/g, " ")}`);
}

/**
 * Refuses a database of another program: it has tables, and none of ours. An empty database passes.
 * @throws StartupError
 */
export function refuseForeignDatabase(connection: DatabaseSync, file: string): void {
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length === 0 || tables.some(({ name }) => name === "schema_versions")) return;
  throw new StartupError(`${file} is a database of something else: it has tables, and none of Countersign's.`);
}
