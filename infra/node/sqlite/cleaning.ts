import type { Clock } from "../../../lib/clock.ts";
import type { SqlExecutor } from "../../../lib/stores/sql/executor.ts";
import { cleanRegistry, cleanTokenShard } from "../../../lib/stores/sql/housekeeping.ts";

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
        return cleanTokenShard(db, now, BATCH) || registry;
      }),
  };
}
