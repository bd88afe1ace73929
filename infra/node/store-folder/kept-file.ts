import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../files/file-error.ts";
import { makeFolder } from "../files/make-folder.ts";
import { syncFolder } from "../files/sync-folder.ts";

/**
 * The content of a file that is made once and kept, mode 0600. It appears complete or not at all, survives a power cut
 * once this returns, and of several processes that start together one makes it for all.
 */
export function keptFile(folder: string, name: string, make: () => Uint8Array): Buffer {
  return readKeptFile(folder, name) ?? create(folder, join(folder, name), make());
}

/** The content of a file that `keptFile` has made, undefined when it has not. */
export function readKeptFile(folder: string, name: string): Buffer | undefined {
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
