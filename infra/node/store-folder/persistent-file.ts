import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../files/file-error.ts";
import { makeFolder } from "../files/make-folder.ts";
import { syncFolder } from "../files/sync-folder.ts";

/**
 * The content of a file that is created once, mode 0600. It appears complete or not at all, and survives a power cut after
 * this returns. If several processes start together, one creates it for all.
 */
export function persistentFile(folder: string, name: string, make: () => Uint8Array): Buffer {
  return readPersistentFile(folder, name) ?? create(folder, join(folder, name), make());
}

/** The content of a file that `persistentFile` has created; undefined if there is none. */
export function readPersistentFile(folder: string, name: string): Buffer | undefined {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function create(folder: string, file: string, content: Uint8Array): Buffer {
  makeFolder(folder);
  // Processes of different containers may share the folder and the process id.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { mode: 0o600, flush: true, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft);
  }
  syncFolder(folder);
  return readFileSync(file);
}
