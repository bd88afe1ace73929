/** Words of one part of an entry, and how much each of them counts. */
export interface WeightedWords {
  readonly words: readonly string[];
  readonly weight: number;
  /** How many words such a part commonly has: of a longer one each word counts less. */
  readonly usual: number;
}

/** Words, with the entries that have them. Entries are numbers, from 0 in the order in which they were added. */
export interface InvertedIndex {
  add(parts: readonly WeightedWords[]): void;
  readonly size: number;
  /** Of how many entries a word is. */
  count(word: string): number;
  /** @param visitor is called for each of these; `weight` is that of the word in all parts together, above 0 */
  visit(word: string, visitor: (entry: number, weight: number) => void): void;
  /** Words that begin with this one. */
  longer(word: string): readonly string[];
  /** Words that differ from this one by one letter. */
  similar(word: string): readonly string[];
}

/** `b` of BM25: how much the length of a part counts. */
const LENGTH = 0.5;
/** Weights are kept as whole numbers of such steps. */
const STEPS = 2_048;
const MOST = 2 ** 16 - 1;
/** Of words that are found by their letters, so many at most. */
const MOST_FOUND = 20;

/**
 * Held in memory: six bytes for a word of an entry, and each word once. The first look after something was added sorts what
 * was added.
 */
export function createInvertedIndex(): InvertedIndex {
  const numbers = new Map<string, number>();
  const added: Added = { words: [], entries: [], weights: [] };
  let size = 0;
  let sorted: Sorted = EMPTY;
  const sortedNow = (): Sorted => {
    if (added.words.length === 0) return sorted;
    sorted = sort(sorted, added, numbers);
    for (const list of Object.values(added)) list.length = 0;
    return sorted;
  };
  return {
    get size() {
      return size;
    },
    add(parts) {
      for (const [word, weight] of weightsOf(parts)) {
        const number = numbers.get(word) ?? numbers.size;
        numbers.set(word, number);
        added.words.push(number);
        added.entries.push(size);
        added.weights.push(Math.min(MOST, Math.ceil(weight * STEPS)));
      }
      size++;
    },
    count(word) {
      const { starts } = sortedNow();
      const number = numbers.get(word);
      return number === undefined ? 0 : at(starts, number + 1) - at(starts, number);
    },
    visit(word, visitor) {
      const { starts, entries, weights } = sortedNow();
      const number = numbers.get(word);
      if (number === undefined) return;
      for (let place = at(starts, number); place < at(starts, number + 1); place++) {
        visitor(at(entries, place), at(weights, place) / STEPS);
      }
    },
    longer(word) {
      const { alphabet } = sortedNow();
      const first = firstFrom(alphabet, word) + (numbers.has(word) ? 1 : 0);
      const candidates = alphabet.slice(first, first + MOST_FOUND);
      return candidates.filter((other) => other.startsWith(word));
    },
    similar(word) {
      const found = [...neighboursOf(word)].filter((other) => numbers.has(other));
      return found.sort().slice(0, MOST_FOUND);
    },
  };
}

/** One element for each word of each entry. */
interface Added {
  readonly words: number[];
  readonly entries: number[];
  readonly weights: number[];
}

/** The same by word: those of word n from `starts[n]` on. */
interface Sorted {
  readonly starts: Uint32Array;
  readonly entries: Uint32Array;
  readonly weights: Uint16Array;
  /** Every word, in the order of letters. */
  readonly alphabet: readonly string[];
}

const EMPTY: Sorted = {
  starts: new Uint32Array(1),
  entries: new Uint32Array(0),
  weights: new Uint16Array(0),
  alphabet: [],
};

function sort(former: Sorted, added: Added, numbers: ReadonlyMap<string, number>): Sorted {
  const starts = new Uint32Array(numbers.size + 1);
  const formerWords = former.starts.length - 1;
  for (let word = 0; word < formerWords; word++)
    starts[word + 1] = at(former.starts, word + 1) - at(former.starts, word);
  for (const word of added.words) starts[word + 1] = at(starts, word + 1) + 1;
  for (let word = 0; word < numbers.size; word++) starts[word + 1] = at(starts, word + 1) + at(starts, word);

  const length = at(starts, numbers.size);
  const [entries, weights] = [new Uint32Array(length), new Uint16Array(length)];
  const next = starts.slice();
  const put = (word: number, entry: number, weight: number): void => {
    const place = at(next, word);
    entries[place] = entry;
    weights[place] = weight;
    next[word] = place + 1;
  };
  for (let word = 0; word < formerWords; word++) {
    const end = at(former.starts, word + 1);
    for (let place = at(former.starts, word); place < end; place++) {
      put(word, at(former.entries, place), at(former.weights, place));
    }
  }
  for (const [place, word] of added.words.entries()) put(word, at(added.entries, place), at(added.weights, place));
  return { starts, entries, weights, alphabet: [...numbers.keys()].sort() };
}

/** What each word of an entry weighs (BM25F, with lengths beside usual ones in place of the average). */
function weightsOf(parts: readonly WeightedWords[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { words, weight, usual } of parts) {
    const each = weight / (1 - LENGTH + (LENGTH * words.length) / usual);
    for (const word of words) weights.set(word, (weights.get(word) ?? 0) + each);
  }
  return weights;
}

/** The place of the first word that is not before this one. */
function firstFrom(alphabet: readonly string[], word: string): number {
  let [low, high] = [0, alphabet.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((alphabet[middle] ?? "") < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Letters of an unknown word, of which a longer one has no neighbours. */
const LONGEST = 40;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/**
 * What one letter more, less or changed, or two neighbours exchanged, makes of a word: as many texts as it has letters, times
 * some seventy, however many words there are.
 */
function neighboursOf(word: string): ReadonlySet<string> {
  const neighbours = new Set<string>();
  if (word.length > LONGEST) return neighbours;
  const letters = new Set([...LETTERS, ...word]);
  for (let place = 0; place <= word.length; place++) {
    const [before, after] = [word.slice(0, place), word.slice(place)];
    neighbours.add(before + after.slice(1));
    if (after.length > 1) neighbours.add(before + after[1] + after[0] + after.slice(2));
    for (const letter of letters) neighbours.add(before + letter + after).add(before + letter + after.slice(1));
  }
  neighbours.delete(word);
  return neighbours;
}

function at(list: ArrayLike<number>, place: number): number {
  return list[place] as number;
}
