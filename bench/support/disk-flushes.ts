import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Milliseconds to measure for. */
const DURATION = 2_000;
const PAGE = Buffer.alloc(4096, 1);

/** Flushes a second that the disk of a folder finishes one after the other, 4 KiB appended before each. */
export function diskFlushes(folder: string): number {
  const path = join(folder, "flushes");
  const file = openSync(path, "w");
  const startedAt = performance.now();
  let flushes = 0;
  let elapsed = 0;
  while (elapsed < DURATION) {
    writeSync(file, PAGE);
    fsyncSync(file);
    flushes += 1;
    elapsed = performance.now() - startedAt;
  }
  closeSync(file);
  rmSync(path);
  return flushes / (elapsed / 1000);
}
