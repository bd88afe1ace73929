/** A word that is longer is compared as far as this. */
const LONGEST_WORD = 64;

/** The known word that a mistyped one most likely meant; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const mistyped = word.slice(0, LONGEST_WORD).toLowerCase();
  let best: string | undefined;
  let bestDistance = mistakesIn(mistyped) + 1;
  for (const candidate of known) {
    // That many letters too many or too few are as many mistakes.
    if (Math.abs(candidate.length - mistyped.length) >= bestDistance) continue;
    const distance = editDistance(mistyped, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? known.find((candidate) => isShortFor(candidate.toLowerCase(), mistyped));
}

/** `addr` and `address`, `warn` and `warning`: more letters than mistakes, and yet the same word. */
function isShortFor(a: string, b: string): boolean {
  return Math.min(a.length, b.length) > 3 && (a.startsWith(b) || b.startsWith(a));
}

/** How many mistakes a word may have: of three letters one, or everything would be near to it. */
function mistakesIn(word: string): number {
  return word.length <= 3 ? 1 : Math.max(2, Math.floor(word.length / 3));
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, at(beforePrevious, j - 2) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
