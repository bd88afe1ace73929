import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { type OutboxEntry, type OutboxMessage, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { laneShards } from "../../lib/tokens/sharding.ts";
import { auditShardName, auditShardOfEvent } from "./audit-shard-name.ts";
import { forgetVerification } from "./client-cache.ts";
import type { StateBindings } from "./env.ts";
import { auditShardOf, tokenShardOf } from "./objects.ts";

/** How soon an alarm tries again what could not be delivered, milliseconds. */
export const REDELIVERY_DELAY = 10_000;

/** Entries that one pass delivers. */
const BATCH = 500;

export interface DeliveryFailure {
  readonly kind: OutboxMessage["kind"];
  readonly cause: unknown;
}

interface Delivery {
  readonly kind: OutboxMessage["kind"];
  readonly sequences: readonly number[];
  readonly send: () => Promise<unknown>;
}

/**
 * Delivers what changes left to tell other objects, and forgets what arrived. One recipient's failure keeps only its own
 * entries. Receiving anything twice changes nothing, so a crash in between is harmless.
 */
export async function deliverOutbox(db: SqlDatabase, env: StateBindings): Promise<readonly DeliveryFailure[]> {
  for (;;) {
    const entries = pendingOutbox(db, BATCH);
    if (entries.length === 0) return [];
    const deliveries = [...eventDeliveries(entries, env), ...tombstoneDeliveries(entries, env)];
    const outcomes = await Promise.allSettled(deliveries.map((delivery) => delivery.send()));
    const failures: DeliveryFailure[] = [];
    const delivered: number[] = [];
    deliveries.forEach(({ kind, sequences }, index) => {
      const outcome = outcomes[index];
      if (outcome?.status === "rejected") failures.push({ kind, cause: outcome.reason });
      else delivered.push(...sequences);
    });
    if (delivered.length > 0) settleOutbox(db, delivered);
    if (failures.length > 0) return failures;
  }
}

/** Events travel together to the shard they belong to. */
function eventDeliveries(entries: readonly OutboxEntry[], env: StateBindings): readonly Delivery[] {
  const groups = new Map<string, { sequences: number[]; events: AuditEvent[] }>();
  for (const { sequence, message } of entries) {
    if (message.kind !== "event") continue;
    const name = auditShardName(auditShardOfEvent(message.event));
    const group = groups.get(name) ?? { sequences: [], events: [] };
    group.sequences.push(sequence);
    group.events.push(message.event);
    groups.set(name, group);
  }
  return [...groups].map(([name, { sequences, events }]) => ({
    kind: "event",
    sequences,
    send: () => auditShardOf(env, name).append(events),
  }));
}

function tombstoneDeliveries(entries: readonly OutboxEntry[], env: StateBindings): readonly Delivery[] {
  return entries.flatMap(({ sequence, message }) =>
    message.kind === "tombstones"
      ? [
          {
            kind: message.kind,
            sequences: [sequence],
            send: () => spread(message.clientId, message.tombstones, env),
          },
        ]
      : [],
  );
}

/** To every lane of the client (D24); the cached record goes last, it only saves reads. */
async function spread(clientId: string, tombstones: readonly Tombstone[], env: StateBindings): Promise<void> {
  if (tombstones.length > 0) {
    const shards = await laneShards(clientId);
    await Promise.all(shards.map((shard) => tokenShardOf(env, shard).addTombstones(tombstones)));
  }
  await forgetVerification(env.CLIENTS, clientId);
}
