import { loggableUrl } from "../../logging/fetch-report.ts";
import type { Logger, LogScope } from "../../logging/logger.ts";

/** Characters of a collector's message that are logged. */
const MESSAGE_LIMIT = 256;

/** Says in the log when telemetry begins to be lost, and when that is over: one entry each, however long it takes. */
export interface DeliveryLog {
  /** An export of so much failed. */
  lost(count: number, cause: string): void;
  /** So much was lost before it could be exported. */
  dropped(count: number): void;
  delivered(): void;
  /** The collector took an export but for `count` parts of it, or has something to say about it. */
  rejected(count: number, message: string): void;
}

export interface DeliveryLogOptions {
  readonly logger: OwnLogger;
  readonly signal: "spans" | "metrics";
  /** The collector's URL. */
  readonly endpoint: string;
}

export function createDeliveryLog({ logger, signal, endpoint }: DeliveryLogOptions): DeliveryLog {
  const collector = loggableUrl(endpoint);
  let lost = 0;
  let droppedSinceDelivery = false;
  let isRejected = false;
  const lose = (count: number, cause: string) => {
    if (lost === 0) logger.warn("telemetry is lost", { signal, collector, cause });
    lost += count;
  };
  return {
    lost: lose,
    dropped: (count) => {
      droppedSinceDelivery = true;
      lose(count, "more of it comes than the collector takes");
    },
    delivered: () => {
      isRejected = false;
      // A collector that is too slow takes some, and some is lost meanwhile: that is not over yet.
      if (lost > 0 && !droppedSinceDelivery) {
        logger.info("telemetry is delivered again", { signal, collector, lost });
        lost = 0;
      }
      droppedSinceDelivery = false;
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

/** A logger for entries about exports: they belong to no request, also where it is one that caused the export. */
export type OwnLogger = Pick<Logger, "info" | "warn">;

export function ownLogger({ logger, logScope }: { readonly logger: Logger; readonly logScope: LogScope }): OwnLogger {
  return {
    info: (message, fields) => logScope.outside(() => logger.info(message, fields)),
    warn: (message, fields) => logScope.outside(() => logger.warn(message, fields)),
  };
}
