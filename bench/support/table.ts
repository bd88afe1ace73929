/** A row of texts, one a column. */
export type Row = readonly string[];

/** Prints rows under a header, each column as wide as its widest text: numbers to the right, texts to the left. */
export function printTable(header: Row, rows: readonly Row[]): void {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  for (const row of [header, widths.map((width) => "-".repeat(width)), ...rows]) {
    const cells = widths.map((width, column) => pad(row[column] ?? "", width));
    console.log(`  ${cells.join("  ")}`.trimEnd());
  }
}

function pad(text: string, width: number): string {
  return NUMBER.test(text) ? text.padStart(width) : text.padEnd(width);
}

/** With a unit, or as a limit. */
const NUMBER = /^(?:[≥≤] )?\d[\d.,]*(?: ?\S{1,3})?$/;
