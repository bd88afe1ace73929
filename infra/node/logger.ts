import type { Clock } from "../../lib/clock.ts";
import type { LoggerConfiguration } from "../../lib/config/configuration.ts";
import { jsonLine } from "../../lib/logging/json-line.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { textLine } from "../../lib/logging/text-line.ts";

export interface NodeLoggerOptions {
  readonly configuration: LoggerConfiguration;
  /** Overrides the configured level with `debug`. */
  readonly verbose: boolean;
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly soid: string;
}

export function nodeLogger({ configuration, verbose, write, clock, soid }: NodeLoggerOptions): Logger {
  return lineLogger({
    level: verbose ? "debug" : configuration.level,
    format: configuration.jsonOutput ? jsonLine : textLine,
    write,
    clock,
    soid,
  });
}
