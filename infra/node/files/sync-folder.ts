import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes names that were given or taken in a folder survive a power cut, as `flush` does for what a file holds. */
export function syncFolder(folder: string): void {
  // Windows opens no folders, and needs none of this.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
