import type { LogFields } from "./logger.ts";
import { isSecretName, REDACTED, type Redact } from "./redaction.ts";

/** Characters of a message or field. */
const TEXT_LIMIT = 8_192;

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
  return isSecretName(name) ? REDACTED : safeText(value, redact);
}

/**
 * Whoever fills a message does not fill the log. The secrets go first, or half of one would be left where the text is cut;
 * of a text that is too long even for that, the end may be such a half.
 */
export function safeText(text: string, redact: Redact): string {
  if (text.length <= TEXT_LIMIT) return redact(text);
  const safe = redact(text.slice(0, 2 * TEXT_LIMIT));
  const shown = text.length <= 2 * TEXT_LIMIT ? TEXT_LIMIT : Math.min(TEXT_LIMIT, safe.length - TEXT_LIMIT);
  return `${safe.slice(0, Math.max(0, shown)).toWellFormed()}…`;
}
