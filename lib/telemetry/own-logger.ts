import type { LogScope } from "../logging/log-scope.ts";
import type { Logger } from "../logging/logger.ts";

/** A logger for entries about exports: they belong to no request, also where it is one that caused the export. */
export type OwnLogger = Pick<Logger, "info" | "warn">;

export function ownLogger({ logger, logScope }: { readonly logger: Logger; readonly logScope: LogScope }): OwnLogger {
  return {
    info: (message, fields) => logScope.outside(() => logger.info(message, fields)),
    warn: (message, fields) => logScope.outside(() => logger.warn(message, fields)),
  };
}
