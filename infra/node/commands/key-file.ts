import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { fileErrorReason } from "../file-error.ts";
import { UsageError } from "../usage-error.ts";

/** A file for a private key that did not exist before: reserved, then written once, or removed. */
export interface KeyFile {
  write(pem: string): void;
  /** Ends the work on the file, and removes it unless it was written. */
  close(): void;
}

/**
 * Reserves the file with mode 0600, before anything is done that could not be undone.
 * @throws UsageError when it exists already or cannot be created
 */
export function reserveKeyFile(path: string): KeyFile {
  const descriptor = create(path);
  let written = false;
  return {
    write: (pem) => {
      writeSync(descriptor, pem);
      fsyncSync(descriptor);
      written = true;
    },
    close: () => {
      closeSync(descriptor);
      if (!written) rmSync(path);
    },
  };
}

function create(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new UsageError(`${path} exists already; a key never overwrites a file.`);
    }
    throw new UsageError(`${path} cannot be created: ${fileErrorReason(error)}.`);
  }
}
