import type { DatabaseSync } from "node:sqlite";

/**
 * Refuses a database whose pages, or whose indexes and tables, do not fit together.
 * @throws Error with the first fault
 */
export function refuseDamagedDatabase(connection: DatabaseSync): void {
  const [first] = connection.prepare("PRAGMA integrity_check(1)").all();
  const verdict = String(first?.integrity_check);
  if (verdict !== "ok") throw new Error(`it is damaged: ${verdict.replaceAll(/\s+/g, " ")}`);
}
