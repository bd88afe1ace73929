import type { Clock } from "../clock.ts";
import type { LoggerConfiguration } from "../config/configuration.ts";
import { type ConfigurationMessage, formatMessage } from "../config/messages.ts";
import { orderedFields } from "./field-order.ts";
import { jsonLine } from "./json-line.ts";
import { lineLogger } from "./line-logger.ts";
import type { LogScope } from "./log-scope.ts";
import type { Logger } from "./logger.ts";
import { redactor } from "./redaction.ts";
import type { SecretValues } from "./secret-values.ts";
import { orderedTextLine, textLine } from "./text-line.ts";
import { timeFormat } from "./time-format.ts";

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
