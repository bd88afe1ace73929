import type { Clock } from "../../lib/kernel/clock.ts";
import { begun, type FetchState, failed, isDue, UNTRIED } from "../../lib/kernel/fetch-state.ts";
import type { Random } from "../../lib/kernel/random.ts";
import { jitterOf } from "../../lib/kernel/refreshing-cache.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import { type InstanceLog, instanceLog, unconfiguredLogger, type WriteLine } from "./instance-log.ts";

/** Resolves to what was started, and to undefined while it cannot start. */
export type Starting<T> = (start: (log: InstanceLog) => Promise<T>) => Promise<T | undefined>;

export interface StartingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly write: WriteLine;
}

/**
 * What starts once stays. What cannot start is tried again by a later request, after a pause that grows with each failure:
 * a secret provider that was away for a moment leaves no instance behind that never serves. The log has each cause once
 * in a row.
 */
export function startingWhenAsked<T>({ clock, random, write }: StartingOptions): Starting<T> {
  let started: T | undefined;
  let state: FetchState<never> = UNTRIED;
  let loggedCause: string | undefined;
  let log: InstanceLog | undefined;
  return async (start) => {
    if (started !== undefined) return started;
    // Not before: Workers has no random bits outside of requests.
    log ??= instanceLog(write, random);
    const logger = unconfiguredLogger(log, clock);
    const beganAt = clock.now();
    // The first requests of an instance each start it; later ones come one at a time.
    if (state.failures > 0 && !isDue(state, beganAt)) return undefined;
    state = begun(state, beganAt);
    try {
      const made = await start(log);
      started ??= made;
      if (loggedCause !== undefined) logger.info("the configuration starts now");
      loggedCause = undefined;
    } catch (error) {
      state = failed(state, { beganAt, now: clock.now(), jitter: jitterOf(random) });
      const cause = causeOf(error);
      if (cause !== loggedCause) logger.error("the configuration cannot start", { cause });
      loggedCause = cause;
    }
    return started;
  };
}

/** Seconds: a start is tried again after 1 s, 2 s and so on. */
const RETRY_AFTER = 5;

/** A configuration that cannot start answers 503 on every path; only the log says why (D13). */
export function cannotStart(): Response {
  return Response.json(
    { status: "down" },
    { status: 503, headers: { "Cache-Control": "no-store", "Retry-After": String(RETRY_AFTER) } },
  );
}
