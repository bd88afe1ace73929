import type { Clock } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import type { SqlExecutor } from "../../../lib/stores/sql/executor.ts";
import { cleanRegistry, cleanTokenShard } from "../../../lib/stores/sql/housekeeping.ts";

/** Milliseconds between rounds, and rows a table and write: small enough that no request waits for long. */
const INTERVAL = 60_000;
const BATCH = 500;

export interface Housekeeping {
  stop(): void;
}

/** Deletes expired rows now and then. It keeps no process alive. */
export function startHousekeeping(executor: SqlExecutor, clock: Clock, logger: Logger): Housekeeping {
  let stopped = false;
  let busy = false;

  const round = async (): Promise<void> => {
    let more = true;
    while (more && !stopped) {
      more = await executor.write((db) => {
        const now = clock.now();
        const registry = cleanRegistry(db, now, BATCH);
        return cleanTokenShard(db, now, BATCH) || registry;
      });
    }
  };

  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    round()
      .catch((error: unknown) => logger.warn("housekeeping failed", { cause: String(error) }))
      .finally(() => {
        busy = false;
      });
  }, INTERVAL);
  timer.unref();

  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}
