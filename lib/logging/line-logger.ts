import type { Clock } from "../clock.ts";
import type { LogLevel } from "../config/configuration.ts";
import type { LineFormat } from "./entry.ts";
import type { LogScope } from "./log-scope.ts";
import type { LogFields, Logger } from "./logger.ts";
import { type Redact, redactText } from "./redaction.ts";
import { safeText, withFields } from "./safe-fields.ts";
import { type FormatTime, timeFormat } from "./time-format.ts";

export interface LineLoggerOptions {
  /** Entries below it are dropped. */
  readonly level: LogLevel;
  readonly format: LineFormat;
  /** Receives each line without its line break. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  readonly soid: string;
  /** RFC3339Nano unless given. */
  readonly formatTime?: FormatTime;
  /** Takes out what looks like a secret unless given. */
  readonly redact?: Redact;
  /** The order of an entry's fields: that in which code gives them unless given. */
  readonly order?: (fields: LogFields) => LogFields;
  readonly scope?: Pick<LogScope, "current">;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** A logger that writes one line an entry, with secrets removed. */
export function lineLogger(options: LineLoggerOptions): Logger {
  const { format, write, clock, soid, scope } = options;
  const { formatTime = timeFormat("RFC3339Nano"), redact = redactText, order = (fields) => fields } = options;
  const threshold = LEVELS.indexOf(options.level);
  const writeEntry: WriteEntry = (level, message, own, bound) => {
    if (LEVELS.indexOf(level) < threshold) return;
    const fields = withFields(bound(), [scope?.current(), own], redact);
    const time = formatTime(clock.now());
    writeLine(write, format({ time, level, message: safeText(message, redact), soid, fields: order(fields) }));
  };
  return boundLogger(() => ({}), redact, writeEntry);
}

type WriteEntry = (level: LogLevel, message: string, own: LogFields | undefined, bound: BoundFields) => void;

/** Made safe once, and only when there is something to write: most requests write nothing. */
type BoundFields = () => LogFields;

function boundLogger(bound: BoundFields, redact: Redact, writeEntry: WriteEntry): Logger {
  return {
    debug: (message, fields) => writeEntry("debug", message, fields, bound),
    info: (message, fields) => writeEntry("info", message, fields, bound),
    warn: (message, fields) => writeEntry("warn", message, fields, bound),
    error: (message, fields) => writeEntry("error", message, fields, bound),
    with: (fields) => {
      let safe: LogFields | undefined;
      const joined = () => {
        safe ??= withFields(bound(), [fields], redact);
        return safe;
      };
      return boundLogger(joined, redact, writeEntry);
    },
  };
}

/** A line that cannot be written has no other place to be reported at, and fails nobody's request. */
function writeLine(write: LineLoggerOptions["write"], line: string): void {
  try {
    write(line);
  } catch {
    // The log's own reader notices that it ended.
  }
}
