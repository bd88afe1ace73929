import type { Clock } from "../../kernel/clock.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import { pollUntil, withTimeout } from "../../kernel/timers.ts";
import { reportTo } from "../../logging/fetch-report.ts";
import type { Logger } from "../../logging/logger.ts";

/** Between two looks at the store, milliseconds. */
const INTERVAL = 2_000;
/** After this long without one, a request waits for the next. */
const LONGEST_AGE = 5_000;
/** How long it does. */
const WAIT_LIMIT = 500;

/** When the store is looked at: plain data alone is shared between requests (D29). */
export interface SettingsPoller {
  isDue(): boolean;
  /** SettingsPoller now; never rejects. */
  poll(signal?: AbortSignal): Promise<void>;
  /** See `GatewaySettings`. */
  upToDate(waitUntil: WaitUntil): Promise<void>;
}

/** @param read reads the store and uses what is new; it has been done already when this is called */
export function createSettingsPoller(
  read: (signal: AbortSignal | undefined) => Promise<void>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): SettingsPoller {
  const report = reportTo(logger, "gateway settings", {});
  let beganAt = clock.now();
  /** When the last one that is over began. */
  let lookedAt = beganAt;
  let isUnderWay = false;
  let failures = 0;

  // A clock that was set back makes a look due.
  const isWithin = (time: number, since: number) => Math.abs(clock.now() - since) < time;
  const isFresh = () => isWithin(LONGEST_AGE, lookedAt);
  // A runtime may have ended one midway.
  const isLooking = () => isUnderWay && isWithin(LONGEST_AGE, beganAt);

  async function poll(signal?: AbortSignal): Promise<void> {
    const began = clock.now();
    [beganAt, isUnderWay] = [began, true];
    try {
      await read(signal);
      if (failures > 0) report.succeeded(failures);
      failures = 0;
    } catch (cause) {
      if (signal?.aborted) return;
      failures += 1;
      report.failed(cause, { failures, value: "the former ones" });
    }
    [lookedAt, isUnderWay] = [began, false];
  }

  async function pollFor(waitUntil: WaitUntil): Promise<void> {
    const work = poll();
    waitUntil(work);
    try {
      await withTimeout(WAIT_LIMIT, work);
    } catch {
      logger.warn("the gateway settings were not read in time; the former ones stay in use meanwhile");
    }
  }

  return {
    isDue: () => !isLooking() && !isWithin(INTERVAL, beganAt),
    poll,
    async upToDate(waitUntil) {
      if (isFresh()) return;
      if (isLooking()) await pollUntil(isFresh, WAIT_LIMIT - Math.abs(clock.now() - beganAt));
      else await pollFor(waitUntil);
    },
  };
}
