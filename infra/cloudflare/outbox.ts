import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { type OutboxEntry, type OutboxKind, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { laneShards } from "../../lib/tokens/sharding.ts";
import { forgetVerification } from "./client-cache.ts";
import { attempt, PATIENCE, sequencesOf } from "./delivery.ts";
import type { StateBindings } from "./env.ts";
import { deliverEvents } from "./event-delivery.ts";
import type { DeliveryFailure } from "./log.ts";
import { tokenShardOf } from "./objects.ts";
import { within } from "./patience.ts";
import { repeatedly } from "./repeat.ts";

/** The cache may take less: a change waits for it although it only saves reads. */
const CACHE_PATIENCE = 2000;
/** Entries that are read at a time: each with tombstones is eight calls. */
const BATCH = 50;

/**
 * Delivers what changes left to tell other objects, and forgets what arrived: tombstones first. One recipient's failure
 * keeps only its own entries, and so does an entry that nobody understands. Receiving anything twice, or in another order,
 * changes nothing, so a crash in between is harmless.
 */
export async function deliverOutbox(db: SqlDatabase, env: StateBindings): Promise<readonly DeliveryFailure[]> {
  const ended = await eachPage(db, "tombstones", (entries) => deliverTombstones(db, env, entries));
  const forgotten = await eachPage(db, "forget", (entries) => deliverForgets(db, env, entries));
  const { failures } = await deliverEvents(db, env);
  return [...ended, ...forgotten, ...failures];
}

/** To every lane of the client (D24). */
export async function deliverTombstones(
  db: SqlDatabase,
  env: StateBindings,
  entries: readonly OutboxEntry<"tombstones">[],
): Promise<readonly DeliveryFailure[]> {
  const attempts = entries.map(({ sequence, message }) =>
    attempt("tombstones", async () => {
      await within(PATIENCE, spread(message.clientId, message.tombstones, env));
      settleOutbox(db, [sequence]);
    }),
  );
  return (await Promise.all(attempts)).flat();
}

async function spread(clientId: string, tombstones: readonly Tombstone[], env: StateBindings): Promise<void> {
  await Promise.all(
    laneShards(clientId).map((shard) => repeatedly(async () => tokenShardOf(env, shard).addTombstones(tombstones))),
  );
}

/** Makes the cache forget the clients. It only saves reads; what is stale in it does no harm for long. */
export async function deliverForgets(
  db: SqlDatabase,
  env: StateBindings,
  entries: readonly OutboxEntry<"forget">[],
): Promise<readonly DeliveryFailure[]> {
  const clients = Map.groupBy(entries, ({ message }) => message.clientId);
  const attempts = [...clients].map(([clientId, ofClient]) =>
    attempt("forget", async () => {
      await within(CACHE_PATIENCE, forgetVerification(env.CLIENTS, clientId));
      settleOutbox(db, sequencesOf(ofClient));
    }),
  );
  return (await Promise.all(attempts)).flat();
}

async function eachPage<Kind extends OutboxKind>(
  db: SqlDatabase,
  kind: Kind,
  deliver: (entries: readonly OutboxEntry<Kind>[]) => Promise<readonly DeliveryFailure[]>,
): Promise<readonly DeliveryFailure[]> {
  const failures: DeliveryFailure[] = [];
  let after = 0;
  for (;;) {
    const entries = pendingOutbox(db, kind, { after, limit: BATCH });
    const newest = entries.at(-1);
    if (newest === undefined) return failures;
    after = newest.sequence;
    failures.push(...(await deliver(entries)));
  }
}
