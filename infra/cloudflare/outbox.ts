import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { type OutboxEntry, type OutboxKind, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { laneShards } from "../../lib/tokens/sharding.ts";
import { auditShardName, auditShardOfEvent } from "./audit-shard-name.ts";
import { forgetVerification } from "./client-cache.ts";
import type { StateBindings } from "./env.ts";
import type { DeliveryFailure } from "./log.ts";
import { auditShardOf, tokenShardOf } from "./objects.ts";

/** How soon an alarm tries again what could not be delivered, milliseconds. */
export const REDELIVERY_DELAY = 10_000;

/** How long a recipient may take, milliseconds, before the delivery counts as failed. */
const PATIENCE = 10_000;
/** Entries that are read at a time. */
const BATCH = 500;

/**
 * Delivers what changes left to tell other objects, and forgets what arrived: tombstones first. One recipient's failure
 * keeps only its own entries. Receiving anything twice changes nothing, so a crash in between is harmless.
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
    attempt("tombstones", db, [sequence], () => spread(message.clientId, message.tombstones, env)),
  );
  return (await Promise.all(attempts)).flat();
}

async function spread(clientId: string, tombstones: readonly Tombstone[], env: StateBindings): Promise<void> {
  const shards = await laneShards(clientId);
  await Promise.all(shards.map((shard) => tokenShardOf(env, shard).addTombstones(tombstones)));
}

/** Makes the cache forget the clients. It only saves reads; what is stale in it does no harm for long. */
export async function deliverForgets(
  db: SqlDatabase,
  env: StateBindings,
  entries: readonly OutboxEntry<"forget">[],
): Promise<readonly DeliveryFailure[]> {
  const clients = Map.groupBy(entries, ({ message }) => message.clientId);
  const attempts = [...clients].map(([clientId, ofClient]) =>
    attempt("forget", db, sequencesOf(ofClient), () => forgetVerification(env.CLIENTS, clientId)),
  );
  return (await Promise.all(attempts)).flat();
}

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
    const shards = Map.groupBy(entries, ({ message }) => auditShardName(auditShardOfEvent(message.event)));
    await Promise.all(
      [...shards].map(async ([name, ofShard]) => {
        if (failures.has(name)) return;
        const events = ofShard.map(({ message }): AuditEvent => message.event);
        const append = () => auditShardOf(env, name).append(events);
        for (const failure of await attempt("event", db, sequencesOf(ofShard), append)) failures.set(name, failure);
      }),
    );
  }
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

/** Settled as soon as this recipient has it, whatever the others do. */
async function attempt(
  kind: OutboxKind,
  db: SqlDatabase,
  sequences: readonly number[],
  send: () => Promise<unknown>,
): Promise<readonly DeliveryFailure[]> {
  try {
    await inTime(send());
    settleOutbox(db, sequences);
    return [];
  } catch (cause) {
    return [{ kind, cause }];
  }
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function sequencesOf(entries: readonly Pick<OutboxEntry<OutboxKind>, "sequence">[]): readonly number[] {
  return entries.map(({ sequence }) => sequence);
}
