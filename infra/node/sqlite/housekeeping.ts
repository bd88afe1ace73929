import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../../lib/kernel/clock.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import { expireApprovals } from "../../../lib/stores/sql/approvals.ts";
import { expireAuditEvents } from "../../../lib/stores/sql/audit-retention.ts";
import { foldAuditSums } from "../../../lib/stores/sql/audit-sums.ts";
import type { SqlDatabase, SqlExecutor } from "../../../lib/stores/sql/database.ts";
import { localEffects } from "../../../lib/stores/sql/effects.ts";
import { cleanRegistry, cleanTokenShard } from "../../../lib/stores/sql/housekeeping.ts";
import { expireMcpSessions } from "../../../lib/stores/sql/mcp-sessions.ts";

/** Milliseconds between rounds. */
const INTERVAL = 60_000;
/** Milliseconds between the writes of a round: most of the time is for others. */
const PAUSE = 15;

interface Housekeeping {
  stop(): void;
}

/**
 * Deletes expired rows now and then. It keeps no process alive.
 * @param auditRetention how long audit records are kept, milliseconds; absent: for good
 */
export function startHousekeeping({ clean }: Cleaning, logger: Logger, auditRetention?: number): Housekeeping {
  let stopped = false;
  let busy = false;

  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    cleanAll({ clean }, auditRetention, () => stopped)
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

/** Deletes all that has expired, a little at a time. */
export async function cleanAll({ clean }: Cleaning, auditRetention?: number, isOver = () => false): Promise<void> {
  while (!isOver() && (await clean(auditRetention))) await pause(PAUSE);
}

/** Rows a table and step; and how long the steps of one write take, milliseconds: requests wait for the write. */
const STEP = 25;
const BUDGET = 3;

export interface Cleaning {
  /**
   * Deletes some of the expired rows, and of the audit records that are older than `auditRetention`, milliseconds, and folds old
   * sums of them; true when there may be more.
   */
  clean(auditRetention?: number): Promise<boolean>;
}

/** @param deleted is told after each write how many rows it deleted, about */
export function cleaning(executor: SqlExecutor, clock: Clock, deleted?: (rows: number) => void): Cleaning {
  return {
    clean: async (auditRetention) => {
      const { steps, more } = await executor.write((db) => {
        const end = performance.now() + BUDGET;
        for (let count = 1; ; count++) {
          const isLeft = step(db, clock.now(), auditRetention);
          if (!isLeft || performance.now() >= end) return { steps: count, more: isLeft };
        }
      });
      if (more) deleted?.(steps * STEP);
      return more;
    },
  };
}

/** True when there may be more. */
function step(db: SqlDatabase, now: number, auditRetention: number | undefined): boolean {
  const registry = cleanRegistry(db, now, STEP);
  const sessions = expireMcpSessions(db, localEffects(db), now, STEP);
  const approvals = expireApprovals(db, localEffects(db), now, STEP);
  const tokens = cleanTokenShard(db, now, STEP);
  const records = auditRetention === undefined ? 0 : expireAuditEvents(db, now - auditRetention, STEP);
  const sums = foldAuditSums(db, now, STEP);
  return registry || sessions || approvals || tokens || records === STEP || sums;
}
