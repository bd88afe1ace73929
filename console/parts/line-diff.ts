/** A line of two texts that are compared. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Pairs of lines that are compared at most: beyond, nobody would read the difference. */
const MOST_PAIRS = 4_000_000;

/**
 * The lines of two texts, by a longest common subsequence: what was removed stands before what came in its place.
 *
 * @returns undefined when the texts are too long to be compared
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] | undefined {
  const old = before.split("\n");
  const now = after.split("\n");
  const head = commonLength(old, now);
  const tail = commonLength(old.slice(head).reverse(), now.slice(head).reverse());
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  if (removed.length * added.length > MOST_PAIRS) return undefined;
  return [
    ...linesOf("same", now.slice(0, head)),
    ...middle(removed, added),
    ...linesOf("same", now.slice(now.length - tail)),
  ];
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((line, index) => line !== other[index]);
  return different === -1 ? one.length : different;
}

function linesOf(kind: DiffLine["kind"], texts: readonly string[]): readonly DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

function middle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const lengths = commonLengths(old, now);
  const width = now.length + 1;
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0;
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < now.length) {
    const gone = old[row];
    const come = now[column];
    if (gone !== undefined && gone === come) {
      lines.push({ kind: "same", text: gone });
      row += 1;
      column += 1;
    } else if (gone !== undefined && (come === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "removed", text: gone });
      row += 1;
    } else {
      lines.push({ kind: "added", text: come ?? "" });
      column += 1;
    }
  }
  return lines;
}

/** Of the rest of both from each pair of lines on, row by row. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const below = lengths[(row + 1) * width + column] ?? 0;
      const beside = lengths[row * width + column + 1] ?? 0;
      const both = (lengths[(row + 1) * width + column + 1] ?? 0) + 1;
      lengths[row * width + column] = old[row] === now[column] ? both : Math.max(below, beside);
    }
  }
  return lengths;
}
