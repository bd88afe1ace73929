import type { ShownAuditEvent } from "./representation.ts";

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

export const CSV_HEADER = `${COLUMNS.join(",")}\r\n`;

/** One line of the export. Lists and objects are JSON texts. */
export function csvLine(event: ShownAuditEvent): string {
  return `${COLUMNS.map((column) => csvField(event[column])).join(",")}\r\n`;
}

/** Always quoted. A text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvField(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = /^[\s\p{Cc}]*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]/u.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
