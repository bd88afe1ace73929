import type { AuditEvent } from "../audit-log.ts";
import type { DisconnectedPeople } from "../connections.ts";
import type { StopsRecord } from "../stops.ts";
import type { Tombstone } from "../tombstone.ts";
import { RECORD_SCHEMA, type SqlDatabase, type SqlRow } from "./database.ts";
import type { Effects } from "./operations.ts";

type OutboxMessage =
  | { readonly kind: "event"; readonly event: AuditEvent }
  | { readonly kind: "tombstones"; readonly clientId: string; readonly tombstones: readonly Tombstone[] }
  | { readonly kind: "stops"; readonly record: StopsRecord }
  | { readonly kind: "disconnect"; readonly disconnected: DisconnectedPeople }
  /** A cached record of the client is out of date. */
  | { readonly kind: "forget"; readonly clientId: string }
  /** A session is to be found among those of its organization, or no longer. */
  | { readonly kind: "listing"; readonly session: ListedSession; readonly isOver: boolean };

/** What a session is found by where an organization's are listed. */
export interface ListedSession {
  readonly organizationId: string;
  readonly startedAt: number;
  readonly sessionHash: string;
}

export type OutboxKind = OutboxMessage["kind"];

export interface OutboxEntry<Kind extends OutboxKind> {
  /** Names the entry for `settleOutbox`. Grows with each entry. */
  readonly sequence: number;
  readonly message: Extract<OutboxMessage, { readonly kind: Kind }>;
}

/** Keeps the effects until they are delivered. Delivering one twice must change nothing; tombstones and events allow it. */
export function outboxEffects(db: SqlDatabase): Effects {
  return {
    event: (event) => postOutbox(db, { kind: "event", event }),
    tombstones: (clientId, tombstones) => postOutbox(db, { kind: "tombstones", clientId, tombstones }),
    stops: (record) => {
      // The newest document says all that earlier ones say.
      db.run("DELETE FROM outbox WHERE kind = 'stops'");
      postOutbox(db, { kind: "stops", record });
    },
    disconnect: (disconnected) => postOutbox(db, { kind: "disconnect", disconnected }),
  };
}

export function postOutbox(db: SqlDatabase, message: OutboxMessage): void {
  db.run("INSERT INTO outbox (entry, schema) VALUES (?, ?)", JSON.stringify(message), RECORD_SCHEMA);
}

/** The newest undelivered entry; what is posted from here on has a greater sequence. */
export function lastPosted(db: SqlDatabase): number {
  return Number(db.all("SELECT MAX(sequence) AS last FROM outbox")[0]?.last ?? 0);
}

/** Undelivered entries of one kind after a sequence, oldest first. */
export function pendingOutbox<Kind extends OutboxKind>(
  db: SqlDatabase,
  kind: Kind,
  { after = 0, limit }: { readonly after?: number; readonly limit: number },
): readonly OutboxEntry<Kind>[] {
  return db
    .all(
      "SELECT sequence, entry FROM outbox WHERE kind = ? AND sequence > ? ORDER BY sequence LIMIT ?",
      kind,
      after,
      limit,
    )
    .map(entryOf<Kind>);
}

/** Every undelivered tombstone of one client, oldest first. */
export function pendingTombstones(db: SqlDatabase, clientId: string): readonly OutboxEntry<"tombstones">[] {
  return db
    .all(
      `SELECT sequence, entry FROM outbox WHERE kind = 'tombstones' AND json_extract(entry, '$.clientId') = ?
       ORDER BY sequence`,
      clientId,
    )
    .map(entryOf<"tombstones">);
}

/** Forgets delivered entries. */
export function settleOutbox(db: SqlDatabase, sequences: readonly number[]): void {
  db.run("DELETE FROM outbox WHERE sequence IN (SELECT value FROM json_each(?))", JSON.stringify(sequences));
}

function entryOf<Kind extends OutboxKind>(row: SqlRow): OutboxEntry<Kind> {
  return {
    sequence: Number(row.sequence),
    message: JSON.parse(String(row.entry)) as OutboxEntry<Kind>["message"],
  };
}
