import type { AuditEvent as ShownAuditEvent } from "../management/schemas/audit-events.ts";

/** Columns of the CSV export (RFC 4180), in order. */
const COLUMNS = [
  "id",
  "time",
  "type",
  "outcome",
  "organizationId",
  "actor",
  "agent",
  "user",
  "actChain",
  "app",
  "tool",
  "reason",
  "durationMs",
  "requestId",
  "region",
  "argumentsDigest",
  "details",
] as const satisfies readonly (keyof ShownAuditEvent)[];

/** Columns whose every value this product makes. */
const OURS: ReadonlySet<keyof ShownAuditEvent> = new Set([
  "id",
  "time",
  "type",
  "outcome",
  "organizationId",
  "durationMs",
  "requestId",
  "argumentsDigest",
] as const);

export const CSV_HEADER = `${COLUMNS.join(",")}\r\n`;

/** One line of the export. Lists and objects are JSON texts. */
export function csvLine(event: ShownAuditEvent): string {
  return `${COLUMNS.map((column) => (OURS.has(column) ? verbatim : csvField)(event[column])).join(",")}\r\n`;
}

/**
 * A text that others may have chosen, always quoted: one that a spreadsheet would take for a formula gets an apostrophe
 * in front.
 */
export function csvField(value: unknown): string {
  if (value === undefined) return "";
  const text = textOf(value);
  const safe = /^[\s\p{Cc}]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/u.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return quoted(safe);
}

/** Ids, digests and words of ours, which are no formulas in effect and have to stay comparable. */
function verbatim(value: unknown): string {
  return value === undefined ? "" : quoted(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
