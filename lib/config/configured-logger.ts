import type { Clock } from "../kernel/clock.ts";
import { lineLogger } from "../logging/line-logger.ts";
import { jsonLine, orderedFields, orderedTextLine, textLine } from "../logging/log-line.ts";
import type { Logger, LogScope } from "../logging/logger.ts";
import type { LoggerConfiguration } from "../logging/logger-configuration.ts";
import { redactor } from "../logging/redaction.ts";
import type { SecretValues } from "../logging/secret-values.ts";
import { timeFormat } from "../logging/time-format.ts";
import { type ConfigurationMessage, formatMessage } from "./messages.ts";

export interface ConfiguredLoggerOptions {
  readonly configuration: LoggerConfiguration;
  /** Overrides the configured level with `debug`. */
  readonly verbose: boolean;
  /** Receives each line without its line break. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly soid: string;
  readonly scope?: Pick<LogScope, "current">;
  /** What no entry may show, whatever it looks like. */
  readonly secrets?: Pick<SecretValues, "redact">;
}

export function configuredLogger(options: ConfiguredLoggerOptions): Logger {
  const { configuration, verbose, secrets, ...others } = options;
  const { level, jsonOutput, timeFormat: formatName, fieldOrdering } = configuration;
  return lineLogger({
    ...others,
    level: verbose ? "debug" : level,
    format: jsonOutput ? jsonLine : fieldOrdering ? orderedTextLine : textLine,
    formatTime: timeFormat(formatName),
    redact: redactor(secrets),
    ...(fieldOrdering && { order: orderedFields }),
  });
}

/** What a person should know about a configuration that starts nevertheless. */
export function logWarnings(logger: Logger, warnings: readonly ConfigurationMessage[]): void {
  for (const warning of warnings) logger.warn("configuration warning", { detail: formatMessage(warning) });
}
