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
  // A list behind IN would be sorted into a table of its own first.
  const given = ids.map(() => "(?)").join(", ");
  const rows = db.all(`SELECT id FROM (VALUES ${given}) JOIN tombstones ON id = column1`, ...ids);
  return rows.length === 0 ? undefined : ids.find((id) => rows.some((row) => row.id === id));
}
