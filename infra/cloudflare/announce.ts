import type { Consequences } from "../../lib/stores/sql/consequences.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { lastPosted, outboxConsequences, pendingOutbox, pendingTombstones } from "../../lib/stores/sql/outbox.ts";
import type { StateBindings } from "./env.ts";
import { deliverEvents } from "./event-delivery.ts";
import type { ObjectLog } from "./log.ts";
import { deliverForgets, deliverTombstones } from "./outbox.ts";
import { changeAndWake } from "./wake.ts";

/** What an object works with. */
export interface ObjectState {
  readonly storage: DurableObjectStorage;
  readonly db: SqlDatabase;
  readonly env: StateBindings;
  readonly log: ObjectLog;
}

/** More forgotten cache entries than one change leaves. */
const FORGETS = 10;

/**
 * Makes a change to the registry and tells others what it left to tell. What other changes left is the alarm's, so that
 * none is held up by another's recipients; what fails here is the alarm's too. A change to a client is acknowledged when
 * every lane of the client knows its tombstones, also those of earlier changes: asking again after a failure delivers
 * what is left, although nothing changes any more.
 */
export async function announce<T>(
  { storage, db, env, log }: ObjectState,
  clientId: string | undefined,
  work: (consequences: Consequences) => T,
): Promise<T> {
  const change = () =>
    db.transaction(() => {
      const newest = lastPosted(db);
      return { before: newest, result: work(outboxConsequences(db)) };
    });
  const { before, result } = await changeAndWake(storage, change, (changed) => lastPosted(db) > changed.before);
  const tombstones = clientId === undefined ? [] : pendingTombstones(db, clientId);
  const [unspread, unforgotten, events] = await Promise.all([
    deliverTombstones(db, env, tombstones),
    deliverForgets(db, env, pendingOutbox(db, "forget", { after: before, limit: FORGETS })),
    deliverEvents(db, env, before),
  ]);
  log.failures([...unspread, ...unforgotten, ...events.failures]);
  const [failure] = unspread;
  if (failure === undefined) return result;
  throw new Error("The change is stored, but not every token shard knows it yet.", { cause: failure.cause });
}
