/** Columns that other columns are not made narrower than. */
const NARROWEST = 10;
const GAP = 2;

/**
 * Rows in columns. Where they are wider than the terminal, long cells are cut visibly, those of the first column last: it
 * has the names that other commands take.
 *
 * @param columns of the terminal; absent: nothing is cut
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[], columns?: number): string {
  const lines = [header, ...rows.map((row) => row.map(printableLine))];
  const natural = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const widths = columns === undefined ? natural : fitted(natural, columns);
  return lines.map((line) => `${cells(line, widths).join(" ".repeat(GAP)).trimEnd()}\n`).join("");
}

function cells(line: readonly string[], widths: readonly number[]): readonly string[] {
  return widths.map((width, column) => cut(line[column] ?? "", width).padEnd(width));
}

/** Takes a column at a time from the widest but the first, then from the first. */
function fitted(natural: readonly number[], columns: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
  while (total() > columns) {
    const rest = Math.max(...widths.slice(1));
    const column = rest > NARROWEST ? widths.lastIndexOf(rest) : 0;
    if ((widths[column] as number) <= NARROWEST) break;
    widths[column] = (widths[column] as number) - 1;
  }
  return widths;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1).toWellFormed()}…`;
}

/** Text of a document, without what a terminal would obey; line breaks stay. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => (character === "\n" ? "\n" : " "));
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, " ").trim();
}
