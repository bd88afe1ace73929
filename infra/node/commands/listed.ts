import { valueAt } from "../../../lib/config/path.ts";
import { jsonWithUnseenEscaped } from "../../../lib/kernel/plain-name.ts";
import type { Flags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { table } from "./tools/table.ts";

/** Flags of every command that lists something. */
export const LISTING_FLAGS = { json: "boolean", jsonl: "boolean" } as const;

type Given = Flags<typeof LISTING_FLAGS>;

/** @throws UsageError where both flags are given */
export function refuseBothForms({ json, jsonl }: Given): void {
  if (json && jsonl) throw new UsageError("-json and -jsonl exclude each other.");
}

/**
 * A listing as it is printed: with `-jsonl` one row a line, on a terminal a table unless `-json` is given, elsewhere one JSON object.
 * @param whole the JSON object, which has the rows in one of its members
 * @param columns members of the rows that the table shows
 */
export function listed(
  whole: object,
  rows: readonly object[],
  columns: readonly string[],
  flags: Given,
  io: CommandIo,
): string {
  refuseBothForms(flags);
  if (flags.jsonl) return rows.map(jsonLine).join("");
  if (flags.json || io.columns === undefined) return jsonLine(whole);
  if (rows.length === 0) return "There are none.\n";
  const header = columns.map((name) => name.replaceAll(/(?=[A-Z])/g, " ").toUpperCase());
  const cells = rows.map((row) => columns.map((name) => cell(valueAt(row, [name]))));
  return withBoldHeader(table(header, cells, io.columns), io);
}

/** One JSON object, what no reader would see escaped. */
export function jsonLine(value: object): string {
  return `${jsonWithUnseenEscaped(JSON.stringify(value))}\n`;
}

/** Where the output may have colours. */
export function withBoldHeader(text: string, { style }: CommandIo): string {
  const end = text.indexOf("\n");
  return style === undefined || end === -1 ? text : style("stdout", "bold", text.slice(0, end)) + text.slice(end);
}

function cell(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return Array.isArray(value) && value.every((one) => typeof one === "string")
    ? value.join(" ")
    : JSON.stringify(value);
}
