import type { Clock } from "../../lib/kernel/clock.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { Background } from "../background.ts";

/** Milliseconds between the sweeps of one instance. */
const INTERVAL = 60_000;

export interface SessionMaintenanceOptions {
  /** Resolves to true when there may be more to do. */
  readonly sweep: () => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Sweeps agents' sessions at the instance's first request and then once a minute, to be called with each request: nothing
 * runs in between. After a sweep that left some over, the next request does the next one: what comes into being with
 * requests is never more than what they clear away (D73).
 */
export function sessionMaintenance({
  sweep,
  clock,
  logger,
}: SessionMaintenanceOptions): (waitUntil: Background["waitUntil"]) => void {
  let sweptAt: number | undefined;
  const work = async (): Promise<void> => {
    try {
      if (await sweep()) sweptAt = undefined;
    } catch (cause) {
      logger.warn("housekeeping failed", { cause: causeOf(cause) });
    }
  };
  return (waitUntil) => {
    const now = clock.now();
    // A clock that was set back counts as passed time.
    if (sweptAt !== undefined && Math.abs(now - sweptAt) < INTERVAL) return;
    sweptAt = now;
    waitUntil(work());
  };
}
