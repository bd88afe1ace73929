import type { DatabaseSync } from "node:sqlite";

/** Rounds at most; and pages of a round that are so few that its successor would hardly find any. */
const ROUNDS = 6;
const FEW = 100;

/**
 * Copies the write-ahead log into the database while others write. What they add meanwhile is copied in another round,
 * until little is left. Each is a PASSIVE checkpoint, which waits for nobody
 * (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
 */
export function copyLog(connection: DatabaseSync): void {
  const checkpoint = connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const copied = Number(checkpoint.get()?.checkpointed ?? 0);
    // Fewer than before: the log has begun anew.
    if (Math.abs(copied - before) <= FEW) return;
    before = copied;
  }
}
