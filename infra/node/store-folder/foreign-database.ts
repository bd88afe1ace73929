import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../startup-error.ts";

/**
 * Refuses a database that holds tables but none of ours: whatever it is, it is not ours to change. An empty one passes.
 * @throws StartupError
 */
export function refuseForeignDatabase(connection: DatabaseSync, file: string): void {
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (tables.length === 0 || tables.some(({ name }) => name === "schema_versions")) return;
  throw new StartupError(`${file} is a database of something else: it has tables, and none of Countersign's.`);
}
