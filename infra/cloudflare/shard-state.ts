import type { Consequences } from "../../lib/stores/sql/consequences.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { outboxConsequences, pendingOutbox } from "../../lib/stores/sql/outbox.ts";
import type { StateBindings } from "./env.ts";
import { deliverEvents } from "./event-delivery.ts";
import type { ObjectLog } from "./log.ts";
import { changeAndWake } from "./wake.ts";

/** What a token shard works with. */
export interface ShardState {
  readonly db: SqlDatabase;
  /** Makes a change. When its result tells that it left an event, that reaches its audit shard after the answer. */
  change<T>(work: (consequences: Consequences) => T, isToDeliver: (result: T) => boolean): Promise<T>;
}

export function shardState(ctx: DurableObjectState, env: StateBindings, db: SqlDatabase, log: ObjectLog): ShardState {
  let delivering = false;
  /** The newest entry that was tried. What failed on the way is the alarm's. */
  let tried = 0;

  const deliver = async (): Promise<void> => {
    try {
      do {
        const { failures, last } = await deliverEvents(db, env, tried);
        tried = last;
        log.failures(failures);
      } while (pendingOutbox(db, "event", { after: tried, limit: 1 }).length > 0);
    } catch (cause) {
      log.failures([{ kind: "event", cause }]);
    } finally {
      delivering = false;
    }
  };
  /** Whoever finds a delivery under way leaves its own to it. */
  const deliverSoon = (): void => {
    if (delivering) return;
    delivering = true;
    ctx.waitUntil(deliver());
  };
  return {
    db,
    change: async (work, isToDeliver) => {
      const result = await changeAndWake(ctx.storage, () => work(outboxConsequences(db)), isToDeliver);
      if (isToDeliver(result)) deliverSoon();
      return result;
    },
  };
}
