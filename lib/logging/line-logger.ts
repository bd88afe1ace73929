import type { Clock } from "../kernel/clock.ts";
import type { LineFormat } from "./log-line.ts";
import type { LogFields, Logger, LogScope } from "./logger.ts";
import type { LogLevel } from "./logger-configuration.ts";
import { isSecretName, REDACTED, type Redact, redactText } from "./redaction.ts";
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

/** Characters of a message or field. */
const TEXT_LIMIT = 8_192;

/** Of fields that whoever sends a request fills as he likes. */
const LIMITS: Readonly<Record<string, number>> = { path: 1_024, userAgent: 256, clientRequestId: 128 };

/** Characters of the longest secret that may stand where a text is cut. */
const LONGEST_SECRET = 8_192;

/** What every entry has of its own; no field takes its place. */
const OWN: ReadonlySet<string> = new Set(["time", "level", "msg", "soid"]);

/** Adds fields to others that are safe already, each cut and without secrets; a later one replaces an earlier one. */
function withFields(safe: LogFields, additions: readonly (LogFields | undefined)[], redact: Redact): LogFields {
  const result: Record<string, LogFields[string]> = { ...safe };
  for (const fields of additions) {
    for (const name in fields) {
      const value = fields[name];
      if (value !== undefined && !OWN.has(name)) result[name] = safeValue(name, value, redact);
    }
  }
  return result;
}

function safeValue(name: string, value: LogFields[string], redact: Redact): LogFields[string] {
  if (typeof value !== "string") return value;
  return isSecretName(name) ? REDACTED : safeText(value, redact, LIMITS[name]);
}

/**
 * Whoever fills a message does not fill the log. The secrets go first, or half of one would be left where the text is cut;
 * of a text that is too long even for that, the end may be such a half.
 */
function safeText(text: string, redact: Redact, limit: number = TEXT_LIMIT): string {
  if (text.length <= limit) return redact(text);
  const looked = limit + LONGEST_SECRET;
  const safe = redact(text.slice(0, looked));
  const shown = text.length <= looked ? limit : Math.min(limit, safe.length - LONGEST_SECRET);
  return `${safe.slice(0, Math.max(0, shown)).toWellFormed()}…`;
}
