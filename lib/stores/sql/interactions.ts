import type { JsonObject } from "../../json.ts";
import type { InteractionRecord } from "../grants.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";

/** Idempotent: the hash is of random bits that only the request's own caller has. */
export function beginInteraction(db: SqlDatabase, interaction: InteractionRecord): void {
  db.run(
    `INSERT INTO interactions (interaction_hash, revision, content, expires_at, schema) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (interaction_hash) DO NOTHING`,
    interaction.interactionHash,
    interaction.revision,
    JSON.stringify(interaction.content),
    interaction.expiresAt,
    RECORD_SCHEMA,
  );
}

export function getInteraction(db: SqlDatabase, interactionHash: string, now: number): InteractionRecord | undefined {
  const row = db.all(
    "SELECT * FROM interactions WHERE interaction_hash = ? AND expires_at > ?",
    interactionHash,
    now,
  )[0];
  return (
    row && {
      interactionHash,
      revision: Number(row.revision),
      content: JSON.parse(String(row.content)) as JsonObject,
      expiresAt: Number(row.expires_at),
    }
  );
}

export function advanceInteraction(db: SqlDatabase, next: InteractionRecord, now: number): boolean {
  const rows = db.all(
    `UPDATE interactions SET revision = ?, content = ?, expires_at = ?
     WHERE interaction_hash = ? AND revision = ? AND expires_at > ? RETURNING 1`,
    next.revision,
    JSON.stringify(next.content),
    next.expiresAt,
    next.interactionHash,
    next.revision - 1,
    now,
  );
  return rows.length === 1;
}

export function finishInteraction(db: SqlDatabase, interactionHash: string, revision: number, now: number): boolean {
  const rows = db.all(
    "DELETE FROM interactions WHERE interaction_hash = ? AND revision = ? AND expires_at > ? RETURNING 1",
    interactionHash,
    revision,
    now,
  );
  return rows.length === 1;
}
