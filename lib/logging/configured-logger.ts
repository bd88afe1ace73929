import type { Clock } from "../clock.ts";
import type { LoggerConfiguration } from "../config/configuration.ts";
import { type ConfigurationMessage, formatMessage } from "../config/messages.ts";
import { jsonLine } from "./json-line.ts";
import { lineLogger } from "./line-logger.ts";
import type { Logger } from "./logger.ts";
import { textLine } from "./text-line.ts";

export interface ConfiguredLoggerOptions {
  readonly configuration: LoggerConfiguration;
  /** Overrides the configured level with `debug`. */
  readonly verbose: boolean;
  /** Receives each line without its line break. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly soid: string;
}

export function configuredLogger({ configuration, verbose, write, clock, soid }: ConfiguredLoggerOptions): Logger {
  return lineLogger({
    level: verbose ? "debug" : configuration.level,
    format: configuration.jsonOutput ? jsonLine : textLine,
    write,
    clock,
    soid,
  });
}

/** `SVC_DEBUG_MODE=true` logs everything, whatever the configuration says. */
export function isDebugMode(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment.SVC_DEBUG_MODE === "true";
}

/** What a person should know about a configuration that starts nevertheless. */
export function logWarnings(logger: Logger, warnings: readonly ConfigurationMessage[]): void {
  for (const warning of warnings) logger.warn("configuration warning", { detail: formatMessage(warning) });
}
