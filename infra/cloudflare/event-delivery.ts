import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { type OutboxEntry, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import { auditShardName, auditShardOfEvent } from "./audit-shard-name.ts";
import { attempt, PATIENCE, sequencesOf } from "./delivery.ts";
import type { StateBindings } from "./env.ts";
import type { DeliveryFailure } from "./log.ts";
import { auditShardOf } from "./objects.ts";
import { within } from "./patience.ts";
import { repeatedly } from "./repeat.ts";

/** Entries that are read at a time. */
const BATCH = 500;

/**
 * Delivers the events after a sequence, those of one shard together. A shard that failed is not asked again on the way to
 * `last`, the last sequence that was tried.
 */
export async function deliverEvents(
  db: SqlDatabase,
  env: StateBindings,
  after = 0,
): Promise<{ readonly failures: readonly DeliveryFailure[]; readonly last: number }> {
  const failures = new Map<string, DeliveryFailure>();
  let last = after;
  for (;;) {
    const entries = pendingOutbox(db, "event", { after: last, limit: BATCH });
    const newest = entries.at(-1);
    if (newest === undefined) return { failures: [...failures.values()], last };
    last = newest.sequence;
    const shards = Map.groupBy(entries, shardNameOf);
    await Promise.all(
      [...shards].map(async ([name, ofShard]) => {
        if (failures.has(name)) return;
        for (const failure of await attempt("event", () => append(db, env, name, ofShard))) failures.set(name, failure);
      }),
    );
  }
}

/** No shard has this name: the entries of it stay. */
const NOWHERE = "";

function shardNameOf({ message }: OutboxEntry<"event">): string {
  try {
    return auditShardName(auditShardOfEvent(message.event));
  } catch {
    return NOWHERE;
  }
}

/** Throws what kept some of the events from being written, after settling the others. */
async function append(
  db: SqlDatabase,
  env: StateBindings,
  name: string,
  entries: readonly OutboxEntry<"event">[],
): Promise<void> {
  if (name === NOWHERE) throw new Error(`entry ${entries[0]?.sequence} belongs to no audit shard`);
  const events = entries.map(({ message }): AuditEvent => message.event);
  // A shard that still runs the former release has no such method: the entries stay until it runs this one.
  const refused = await within(
    PATIENCE,
    repeatedly(async () => auditShardOf(env, name).appendAccepted(events)),
  );
  const positions = new Set(refused.map(({ position }) => position));
  settleOutbox(db, sequencesOf(entries.filter((_, position) => !positions.has(position))));
  const [first] = refused;
  if (first !== undefined) throw new Error(`entry ${entries[first.position]?.sequence}: ${first.cause}`);
}
