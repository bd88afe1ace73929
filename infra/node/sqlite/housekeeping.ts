import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import type { Cleaning } from "./cleaning.ts";

/** Milliseconds between rounds. */
const INTERVAL = 60_000;

export interface Housekeeping {
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
