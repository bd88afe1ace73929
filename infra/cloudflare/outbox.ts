import { laneShards, SHARDS } from "../../lib/authorization-server/tokens/sharding.ts";
import { withTimeout } from "../../lib/kernel/timers.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { type OutboxEntry, type OutboxKind, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { auditShardName, auditShardOfEvent } from "./audit-shard-name.ts";
import { forgetVerification } from "./client-cache.ts";
import type { StateBindings } from "./env.ts";
import type { DeliveryFailure } from "./log.ts";
import { auditShardOf, connectionShardOf, registryOf, tokenShardOf } from "./objects.ts";

/** How long a recipient may take, milliseconds, before the delivery counts as failed. */
const TIMEOUT = 10_000;
/** The cache may take less: a change waits for it although it only saves reads. */
const CACHE_TIMEOUT = 2000;
/** Entries that are read at a time: each with tombstones is eight calls. */
const BATCH = 50;

/**
 * Delivers what changes left to tell other objects, and forgets what arrived: tombstones first. One recipient's failure
 * keeps only its own entries, and so does an entry that nobody understands. Receiving anything twice, or in another order,
 * changes nothing, so a crash in between is harmless.
 */
export async function deliverOutbox(db: SqlDatabase, env: StateBindings): Promise<readonly DeliveryFailure[]> {
  const ended = await eachPage(db, "tombstones", (entries) => deliverTombstones(db, env, entries));
  const stopped = await deliverStops(db, env);
  const disconnected = await eachPage(db, "disconnect", (entries) => deliverDisconnects(db, env, entries));
  const forgotten = await eachPage(db, "forget", (entries) => deliverForgets(db, env, entries));
  const { failures } = await deliverEvents(db, env);
  return [...ended, ...stopped, ...disconnected, ...forgotten, ...failures];
}

/** To every lane of the client (D24). */
export async function deliverTombstones(
  db: SqlDatabase,
  env: StateBindings,
  entries: readonly OutboxEntry<"tombstones">[],
): Promise<readonly DeliveryFailure[]> {
  const attempts = entries.map(({ sequence, message }) =>
    attempt("tombstones", async () => {
      await withTimeout(TIMEOUT, spread(message.clientId, message.tombstones, env));
      settleOutbox(db, [sequence]);
    }),
  );
  return (await Promise.all(attempts)).flat();
}

async function spread(clientId: string, tombstones: readonly Tombstone[], env: StateBindings): Promise<void> {
  await Promise.all(laneShards(clientId).map((shard) => tokenShardOf(env, shard).addTombstones(tombstones)));
}

/** The document, to every shard. */
export async function deliverStops(db: SqlDatabase, env: StateBindings): Promise<readonly DeliveryFailure[]> {
  const entries = pendingOutbox(db, "stops", { limit: 1 });
  const [newest] = entries;
  if (newest === undefined) return [];
  return attempt("stops", async () => {
    // A shard that still runs the former release has no such method: the entries stay until it runs this one.
    const told = Array.from({ length: SHARDS }, (_, shard) =>
      tokenShardOf(env, shard).copyStops(newest.message.record),
    );
    await withTimeout(TIMEOUT, Promise.all(told));
    settleOutbox(db, sequencesOf(entries));
  });
}

/** To the shards of the people. */
export async function deliverDisconnects(
  db: SqlDatabase,
  env: StateBindings,
  entries: readonly OutboxEntry<"disconnect">[],
): Promise<readonly DeliveryFailure[]> {
  const attempts = entries.map(({ sequence, message: { disconnected } }) =>
    attempt("disconnect", async () => {
      const { organizationId, people, at } = disconnected;
      // A shard that still runs the former release has no such method: the entries stay until it runs this one.
      const told = people.map((person) =>
        connectionShardOf(env, { organizationId, person }).disconnectPeople({ organizationId, people: [person], at }),
      );
      await withTimeout(TIMEOUT, Promise.all(told));
      settleOutbox(db, [sequence]);
    }),
  );
  return (await Promise.all(attempts)).flat();
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
      await withTimeout(CACHE_TIMEOUT, forgetVerification(env.CLIENTS, clientId));
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

/** Events that are read at a time. */
const EVENT_BATCH = 500;

/** Forgets entries that arrived, or remembers that they may be forgotten. */
type Settle = (sequences: readonly number[]) => void;

/**
 * Delivers the events after a sequence, those of one shard together. A shard that failed is not asked again on the way to
 * `last`, the last sequence that was tried.
 *
 * @param settle forgets them at once unless given
 */
export async function deliverEvents(
  db: SqlDatabase,
  env: StateBindings,
  after = 0,
  settle: Settle = (sequences) => settleOutbox(db, sequences),
): Promise<{ readonly failures: readonly DeliveryFailure[]; readonly last: number }> {
  const failures = new Map<string, DeliveryFailure>();
  let last = after;
  for (;;) {
    const entries = pendingOutbox(db, "event", { after: last, limit: EVENT_BATCH });
    const newest = entries.at(-1);
    if (newest === undefined) return { failures: [...failures.values()], last };
    last = newest.sequence;
    const shards = Map.groupBy(entries, shardNameOf);
    await Promise.all(
      [...shards].map(async ([name, ofShard]) => {
        if (failures.has(name)) return;
        for (const failure of await attempt("event", () => append(env, name, ofShard, settle)))
          failures.set(name, failure);
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
  env: StateBindings,
  name: string,
  entries: readonly OutboxEntry<"event">[],
  settle: Settle,
): Promise<void> {
  if (name === NOWHERE) throw new Error(`entry ${entries[0]?.sequence} belongs to no audit shard`);
  const events = entries.map(({ message }): AuditEvent => message.event);
  // A shard that still runs the former release has no such method: the entries stay until it runs this one.
  const refused = await withTimeout(TIMEOUT, auditShardOf(env, name).appendAccepted(events));
  const positions = new Set(refused.map(({ position }) => position));
  settle(sequencesOf(entries.filter((_, position) => !positions.has(position))));
  const [first] = refused;
  if (first !== undefined) throw new Error(`entry ${entries[first.position]?.sequence}: ${first.cause}`);
}

/** More than one session ever leaves: it begins and it ends. */
const ENTRIES = 10;

/** Tells the registry whether a session is to be listed. Of several entries the last one counts. */
export async function deliverListings(db: SqlDatabase, env: StateBindings): Promise<readonly DeliveryFailure[]> {
  const entries = pendingOutbox(db, "listing", { limit: ENTRIES });
  const last = entries.at(-1);
  if (last === undefined) return [];
  const { session, isOver } = last.message;
  return attempt("listing", async () => {
    // A registry that still runs the former release has no such methods: the entries stay until it runs this one.
    const registry = registryOf(env);
    await withTimeout(TIMEOUT, isOver ? registry.unlistSessions([session]) : registry.listSession(session));
    settleOutbox(db, sequencesOf(entries));
  });
}

/** Whatever one recipient does, the others' deliveries go on. */
async function attempt(kind: OutboxKind, deliver: () => Promise<void>): Promise<readonly DeliveryFailure[]> {
  try {
    await deliver();
    return [];
  } catch (cause) {
    return [{ kind, cause }];
  }
}

function sequencesOf(entries: readonly Pick<OutboxEntry<OutboxKind>, "sequence">[]): readonly number[] {
  return entries.map(({ sequence }) => sequence);
}
