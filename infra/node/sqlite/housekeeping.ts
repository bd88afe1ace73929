import type { Clock } from "../../../lib/kernel/clock.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import type { SqlExecutor } from "../../../lib/stores/sql/database.ts";
import { localEffects } from "../../../lib/stores/sql/effects.ts";
import { cleanRegistry, cleanTokenShard } from "../../../lib/stores/sql/housekeeping.ts";
import { expireMcpSessions } from "../../../lib/stores/sql/mcp-sessions.ts";

/** Milliseconds between rounds. */
const INTERVAL = 60_000;

interface Housekeeping {
  stop(): void;
}

/** Deletes expired rows now and then. It keeps no process alive. */
export function startHousekeeping({ clean }: Cleaning, logger: Logger): Housekeeping {
  let stopped = false;
  let busy = false;

  const round = async (): Promise<void> => {
    while (!stopped && (await clean()));
  };

  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    round()
      .catch((cause: unknown) => {
        if (!stopped) logger.warn("housekeeping failed", { cause: causeOf(cause) });
      })
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

/** Rows a table and write: few enough that no request waits for long. */
const BATCH = 500;

export interface Cleaning {
  /** Deletes some of the expired rows; true when there may be more. */
  clean(): Promise<boolean>;
}

export function cleaning(executor: SqlExecutor, clock: Clock): Cleaning {
  return {
    clean: () =>
      executor.write((db) => {
        const now = clock.now();
        const registry = cleanRegistry(db, now, BATCH);
        const sessions = expireMcpSessions(db, localEffects(db), now, BATCH);
        return cleanTokenShard(db, now, BATCH) || registry || sessions;
      }),
  };
}
