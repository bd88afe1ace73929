import type { AuditEvent } from "../audit-log.ts";
import type { Tombstone } from "../tombstone.ts";
import type { Consequences } from "./consequences.ts";
import { RECORD_SCHEMA, type SqlDatabase } from "./database.ts";

export type OutboxMessage =
  | { readonly kind: "event"; readonly event: AuditEvent }
  | { readonly kind: "tombstones"; readonly clientId: string; readonly tombstones: readonly Tombstone[] };

export interface OutboxEntry {
  /** Names the entry for `settleOutbox`. Grows with each entry. */
  readonly sequence: number;
  readonly message: OutboxMessage;
}

/** Keeps the consequences until they are delivered. Delivering one twice must change nothing; tombstones and events allow it. */
export function outboxConsequences(db: SqlDatabase): Consequences {
  return {
    event: (event) => post(db, { kind: "event", event }),
    tombstones: (clientId, tombstones) => post(db, { kind: "tombstones", clientId, tombstones }),
  };
}

/** Undelivered entries, oldest first. */
export function pendingOutbox(db: SqlDatabase, limit: number): readonly OutboxEntry[] {
  return db.all("SELECT sequence, entry FROM outbox ORDER BY sequence LIMIT ?", limit).map((row) => ({
    sequence: Number(row.sequence),
    message: JSON.parse(String(row.entry)) as OutboxMessage,
  }));
}

/** Forgets delivered entries. */
export function settleOutbox(db: SqlDatabase, sequences: readonly number[]): void {
  db.run("DELETE FROM outbox WHERE sequence IN (SELECT value FROM json_each(?))", JSON.stringify(sequences));
}

function post(db: SqlDatabase, message: OutboxMessage): void {
  db.run("INSERT INTO outbox (entry, schema) VALUES (?, ?)", JSON.stringify(message), RECORD_SCHEMA);
}
