import { writeSync } from "node:fs";

/**
 * Writes a line to standard output and returns when all of it is there. A pipe may take a part or nothing while its reader
 * is busy, once a worker thread's output goes through it too.
 */
export function writeLine(line: string): void {
  let rest: Uint8Array = Buffer.from(`${line}\n`);
  while (rest.length > 0) rest = rest.subarray(written(rest));
}

function written(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return 0;
    throw error;
  }
}
