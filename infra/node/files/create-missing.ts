import { closeSync, openSync } from "node:fs";
import { hasCode } from "./file-error.ts";

/**
 * Makes an empty file, mode 0600, unless there is one. It never opens an existing one: closing that would drop the locks
 * that connections of this process hold on it (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
export function createMissing(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
