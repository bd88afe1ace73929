import { loggableUrl } from "../../health/report.ts";
import type { Logger } from "../../logging/logger.ts";

/** Characters of a collector's message that are logged. */
const MESSAGE_LIMIT = 256;

/** Says in the log when telemetry begins to be lost, and when that is over: one entry each, however long it takes. */
export interface DeliveryLog {
  lost(count: number, cause: string): void;
  delivered(): void;
  /** The collector took an export but for `count` parts of it, or has something to say about it. */
  rejected(count: number, message: string): void;
}

export interface DeliveryLogOptions {
  readonly logger: Logger;
  readonly signal: "spans" | "metrics";
  /** The collector's URL. */
  readonly endpoint: string;
}

export function createDeliveryLog({ logger, signal, endpoint }: DeliveryLogOptions): DeliveryLog {
  const collector = loggableUrl(endpoint);
  let isLosing = false;
  let lost = 0;
  let lostSinceDelivery = false;
  let isRejected = false;
  return {
    lost: (count, cause) => {
      if (!isLosing) logger.warn("telemetry is lost", { signal, collector, cause });
      isLosing = true;
      lostSinceDelivery = true;
      lost += count;
    },
    delivered: () => {
      isRejected = false;
      // While some is delivered and some is lost, the streak goes on.
      if (isLosing && !lostSinceDelivery) {
        logger.info("telemetry is delivered again", { signal, collector, lost });
        isLosing = false;
        lost = 0;
      }
      lostSinceDelivery = false;
    },
    rejected: (count, message) => {
      if (!isRejected) {
        const detail = message.slice(0, MESSAGE_LIMIT).toWellFormed();
        logger.warn("the collector rejected a part of the telemetry", { signal, collector, rejected: count, detail });
      }
      isRejected = true;
    },
  };
}
