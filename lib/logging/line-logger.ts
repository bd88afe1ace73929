import type { Clock } from "../clock.ts";
import type { LogLevel } from "../config/configuration.ts";
import type { LineFormat } from "./entry.ts";
import type { LogFields, Logger } from "./logger.ts";
import { redactFields, redactText } from "./redaction.ts";

/** Characters of a message or field. */
const TEXT_LIMIT = 8_192;

export interface LineLoggerOptions {
  /** Entries below it are dropped. */
  readonly level: LogLevel;
  readonly format: LineFormat;
  /** Receives each line without its line break. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly soid: string;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** A logger that writes one line an entry, with secrets removed. */
export function lineLogger(options: LineLoggerOptions): Logger {
  return boundLogger(options, {});
}

function boundLogger(options: LineLoggerOptions, bound: LogFields): Logger {
  const { format, write, clock, soid } = options;
  const threshold = LEVELS.indexOf(options.level);
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LEVELS.indexOf(level) < threshold) return;
      const safe = redactFields(cutFields({ ...bound, ...fields }));
      write(format({ time: clock.now(), level, message: redactText(cut(message)), soid, fields: safe }));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => boundLogger(options, { ...bound, ...fields }),
  };
}

function cutFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? cut(value) : value]),
  );
}

/** Whoever fills a field does not fill the log. */
function cut(text: string): string {
  return text.length <= TEXT_LIMIT ? text : `${text.slice(0, TEXT_LIMIT).toWellFormed()}…`;
}
