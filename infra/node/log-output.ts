import { writeSync } from "node:fs";

/** The output of log lines. Writing never fails and never waits for the reader. */
export interface LogOutput {
  /** A line without its line break. The lines of one turn of the event loop are written together. */
  readonly write: (line: string) => void;
  /** Told how many lines were lost, when lines can be written again. */
  onLost(listener: (lines: number) => void): void;
  /** Writes what is left, which the end of the process does otherwise. */
  close(): void;
}

/** Characters that are buffered for a reader that does not read. Lines beyond that are lost. */
const CAPACITY = 8_000_000;
/** The delay before such a reader is tried again, and the longest wait at the end of the process, milliseconds. */
const PAUSE = 20;
const LAST_PATIENCE = 1_000;

/** Log lines on stderr. */
export function openLogOutput(capacity: number = CAPACITY): LogOutput {
  // Asking for it makes a pipe one that does not block: who stops reading must not stop the server.
  const { fd } = process.stderr;
  const queue = lineQueue(capacity);
  let isScheduled = false;
  let tellLost = (_lines: number): void => undefined;

  /** Whether nothing is left to be written. */
  const flush = (): boolean => {
    for (let chunk = queue.next(); chunk !== undefined; chunk = queue.next()) {
      const written = writeSome(fd, chunk);
      if (written === "busy") return false;
      if (written === "failed") queue.lose();
      else if (queue.take(written) === "whole") queue.tellLost(tellLost);
    }
    return true;
  };
  const drain = (): void => {
    isScheduled = !flush();
    if (isScheduled) setTimeout(drain, PAUSE).unref();
  };
  const finish = (): void => {
    const deadline = Date.now() + LAST_PATIENCE;
    while (!flush() && Date.now() < deadline) pause(PAUSE);
  };
  process.once("exit", finish);
  return {
    write: (line) => {
      queue.add(line);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(drain);
    },
    onLost: (listener) => {
      tellLost = listener;
    },
    close: () => {
      process.off("exit", finish);
      finish();
    },
  };
}

/** Lines that somebody else receives. */
export function plainOutput(write: (line: string) => void): LogOutput {
  return { write, onLost: () => undefined, close: () => undefined };
}

interface LineQueue {
  add(line: string): void;
  /** The bytes to be written next: the same until they are taken or lost. */
  next(): Uint8Array | undefined;
  take(bytes: number): "part" | "whole";
  lose(): void;
  tellLost(tell: (lines: number) => void): void;
}

function lineQueue(capacity: number): LineQueue {
  let waiting: string[] = [];
  let size = 0;
  let begun: { readonly bytes: Uint8Array; readonly lines: number } | undefined;
  let lost = 0;
  let isTelling = false;
  return {
    add: (line) => {
      if (size >= capacity && !isTelling) lost++;
      else {
        waiting.push(line);
        size += line.length;
      }
    },
    next: () => {
      if (begun === undefined && waiting.length > 0) {
        begun = { bytes: Buffer.from(`${waiting.join("\n")}\n`), lines: waiting.length };
        [waiting, size] = [[], 0];
      }
      return begun?.bytes;
    },
    take: (count) => {
      const left = begun?.bytes.subarray(count);
      begun = begun !== undefined && left !== undefined && left.length > 0 ? { ...begun, bytes: left } : undefined;
      return begun === undefined ? "whole" : "part";
    },
    lose: () => {
      lost += begun?.lines ?? 0;
      begun = undefined;
    },
    tellLost: (tell) => {
      if (lost === 0) return;
      const lines = lost;
      lost = 0;
      isTelling = true;
      tell(lines);
      isTelling = false;
    },
  };
}

/** How many of the bytes went out; `busy` while nobody reads, `failed` when nobody will or the disk is full. */
function writeSome(fd: number, bytes: Uint8Array): number | "busy" | "failed" {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? "busy" : "failed";
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
