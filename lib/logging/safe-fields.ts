import type { LogFields } from "./logger.ts";
import { isSecretName, REDACTED, type Redact } from "./redaction.ts";

/** Characters of a message or field. */
const TEXT_LIMIT = 8_192;

/** Of fields that whoever sends a request fills as he likes. */
const LIMITS: Readonly<Record<string, number>> = { path: 1_024, userAgent: 256, clientRequestId: 128 };

/** Characters of the longest secret that may stand where a text is cut. */
const LONGEST_SECRET = 8_192;

/** What every entry has of its own; no field takes its place. */
const OWN: ReadonlySet<string> = new Set(["time", "level", "msg", "soid"]);

/** Adds fields to others that are safe already, each cut and without secrets; a later one replaces an earlier one. */
export function withFields(safe: LogFields, additions: readonly (LogFields | undefined)[], redact: Redact): LogFields {
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
export function safeText(text: string, redact: Redact, limit: number = TEXT_LIMIT): string {
  if (text.length <= limit) return redact(text);
  const looked = limit + LONGEST_SECRET;
  const safe = redact(text.slice(0, looked));
  const shown = text.length <= looked ? limit : Math.min(limit, safe.length - LONGEST_SECRET);
  return `${safe.slice(0, Math.max(0, shown)).toWellFormed()}…`;
}
