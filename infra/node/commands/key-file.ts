import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { fileErrorReason } from "../files/file-error.ts";
import { UsageError } from "../usage-error.ts";

/** A file for a private key that did not exist before: reserved, then written once, or removed. */
export interface KeyFile {
  /** @throws UsageError when the file does not take it, for example on a full disk */
  write(pem: string): void;
  /** Ends the work on the file, and removes it unless it was written. */
  close(): void;
}

/**
 * Reserves the file with mode 0600, before anything is done that could not be undone.
 * @throws UsageError when it exists already or cannot be created
 */
function reserveKeyFile(path: string): KeyFile {
  const descriptor = create(path);
  let written = false;
  return {
    write: (pem) => {
      try {
        writeFileSync(descriptor, pem, { flush: true });
      } catch (error) {
        throw new UsageError(`${path} cannot be written: ${fileErrorReason(error)}.`);
      }
      written = true;
    },
    close: () => {
      closeSync(descriptor);
      if (!written) rmSync(path);
    },
  };
}

/** Reserves a file for as long as the work takes. */
export async function withKeyFile<T>(path: string, work: (file: KeyFile) => Promise<T>): Promise<T> {
  const file = reserveKeyFile(path);
  try {
    return await work(file);
  } finally {
    file.close();
  }
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
