import type { Clock } from "../../../lib/clock.ts";
import { localConsequences } from "../../../lib/stores/sql/consequences.ts";
import type { SqlExecutor } from "../../../lib/stores/sql/executor.ts";
import { cleanRegistry, cleanTokenShard } from "../../../lib/stores/sql/housekeeping.ts";
import { expireMcpSessions } from "../../../lib/stores/sql/mcp-sessions.ts";

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
        const sessions = expireMcpSessions(db, localConsequences(db), now, BATCH);
        return cleanTokenShard(db, now, BATCH) || registry || sessions;
      }),
  };
}
