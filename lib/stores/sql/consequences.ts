import type { AuditEvent } from "../audit-log.ts";
import type { Tombstone } from "../tombstone.ts";
import { appendAuditEvent } from "./audit-log.ts";
import type { SqlDatabase } from "./database.ts";
import { addTombstones } from "./tombstones.ts";

/**
 * What a change leads to in the other sets of tables. It is called inside the change's own transaction, so that neither
 * is durable without the other.
 */
export interface Consequences {
  event(event: AuditEvent): void;
  /** Tombstones that every shard with tokens of this client must hold before the change is acknowledged. */
  tombstones(clientId: string, tombstones: readonly Tombstone[]): void;
}

/** For a database that holds every set: written where they belong. Elsewhere: `outboxConsequences`. */
export function localConsequences(db: SqlDatabase): Consequences {
  return {
    event: (event) => appendAuditEvent(db, event),
    tombstones: (_clientId, tombstones) => addTombstones(db, tombstones),
  };
}
