import type { Tombstone } from "../tombstone.ts";
import type { SqlDatabase } from "./database.ts";

/** Idempotent. */
export function addTombstones(db: SqlDatabase, tombstones: readonly Tombstone[]): void {
  for (const { id, expiresAt } of tombstones) {
    db.run("INSERT INTO tombstones (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, expiresAt ?? null);
  }
}

/** The first of the ids that is dead, if any. */
export function firstTombstone(db: SqlDatabase, ids: readonly string[]): string | undefined {
  const marks = ids.map(() => "?").join(", ");
  const dead = new Set(db.all(`SELECT id FROM tombstones WHERE id IN (${marks})`, ...ids).map((row) => row.id));
  return ids.find((id) => dead.has(id));
}
