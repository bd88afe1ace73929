import type { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { resultCode } from "../sqlite/busy.ts";
import { connectSqlite } from "../sqlite/open.ts";
import type { CopyOutcome, ThreadData } from "./messages.ts";

/**
 * The thread that `startCheckpoints` starts: at each message it copies the log, and answers once little of it is left;
 * at `end` it ends.
 */
if (parentPort === null) throw new Error("This module runs as a worker thread only.");
const port = parentPort;
const connection = connectSqlite((workerData as ThreadData).folder);
port.on("message", (message: "copy" | "end") => {
  if (message === "end") {
    connection.close();
    port.close();
    return;
  }
  port.postMessage(outcomeOf(() => copyLog(connection)));
});

/** A disk that is full, or a limit of the file system, must not end the process. */
function outcomeOf(copy: () => void): CopyOutcome {
  try {
    copy();
    return "copied";
  } catch (error) {
    return { error, code: resultCode(error) };
  }
}

/** Rounds at most; and pages of a round that are so few that its successor would hardly find any. */
const ROUNDS = 6;
const FEW = 100;

/**
 * Copies the write-ahead log into the database while others write. What they add meanwhile is copied in another round,
 * until little is left. Each is a PASSIVE checkpoint, which waits for nobody
 * (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
 */
function copyLog(connection: DatabaseSync): void {
  const checkpoint = connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const copied = Number(checkpoint.get()?.checkpointed ?? 0);
    // Fewer than before: the log has begun anew.
    if (Math.abs(copied - before) <= FEW) return;
    before = copied;
  }
}
