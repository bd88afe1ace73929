import { appendAuditEvent } from "./audit-log.ts";
import { disconnectPeople } from "./connections.ts";
import type { SqlDatabase } from "./database.ts";
import type { Effects } from "./operations.ts";
import { addTombstones } from "./tombstones.ts";

/** For a database that holds every set: written where they belong. Elsewhere: `outboxEffects`. */
export function localEffects(db: SqlDatabase): Effects {
  return {
    event: (event) => appendAuditEvent(db, event),
    tombstones: (_clientId, tombstones) => addTombstones(db, tombstones),
    // They are in this database already.
    stops: () => undefined,
    disconnect: (people) => disconnectPeople(db, people),
  };
}
