import type { Intent } from "./intent.ts";
import { createInvertedIndex, type InvertedIndex } from "./inverted-index.ts";
import { type Concept, type Question, questionOf } from "./question.ts";
import type { Effect, ToolText } from "./searched-tool.ts";
import { stem, wordsOf } from "./words.ts";

/** The keys of the entries that have words of a question, the best first. */
export type TextIndex<Key> = (question: string) => readonly Key[];

export interface Entry<Key> {
  readonly key: Key;
  readonly text: ToolText;
  readonly effect: Effect;
  readonly isAboutCaller: boolean;
}

/** How much a word counts by where it stands, and how many words commonly stand there. */
const PARTS: Readonly<Record<keyof ToolText, { readonly weight: number; readonly usual: number }>> = {
  name: { weight: 2, usual: 4 },
  title: { weight: 3, usual: 4 },
  app: { weight: 0.5, usual: 1 },
  tags: { weight: 1, usual: 2 },
  resource: { weight: 1.5, usual: 1 },
  path: { weight: 1, usual: 4 },
  verbs: { weight: 1, usual: 3 },
  description: { weight: 0.7, usual: 15 },
  topics: { weight: 0.6, usual: 15 },
  arguments: { weight: 0.5, usual: 8 },
  remarks: { weight: 0.25, usual: 40 },
};
const PART_NAMES = Object.keys(PARTS) as (keyof ToolText)[];

/** `k1` of BM25: a word that weighs this counts half of what it can. */
const SATURATION = 2;
/** What a word counts that was not said, but means the same: of several the first more than the last. */
const SYNONYM = 0.85;
const SYNONYM_STEP = 0.05;
const LEAST_SYNONYM = 0.6;
/** What words count that are found by their letters. */
const LONGER = 0.5;
const SIMILAR = 0.6;
const LONGER_FROM = 4;
const SIMILAR_FROM = 5;
/** A synonym is not worth more than the word that was said because it is rarer. */
const RARER = 0.8;
/** What a command counts at most, beside things: many tools say the same in other verbs. */
const COMMAND_RARITY = 3;
/** An entry with half of the question is worth less than half of one with all of it. */
const COVERAGE_POWER = 0.8;
/** What an entry keeps of whose title the question says nothing. */
const TITLE_BASE = 0.3;

/** What an entry counts by what is wanted: what is asked for is rarely a change, and never a loss unless the question says so. */
const EFFECTS: Readonly<Record<Intent, Readonly<Record<Effect, number>>>> = {
  browse: { list: 1.3, read: 1.1, unknown: 1, write: 0.7, remove: 0.5 },
  read: { list: 1.2, read: 1.2, unknown: 1, write: 0.9, remove: 0.5 },
  write: { list: 0.9, read: 0.9, unknown: 1, write: 1.1, remove: 0.5 },
  remove: { list: 0.8, read: 0.8, unknown: 0.9, write: 0.9, remove: 1.2 },
  end: { list: 0.9, read: 0.9, unknown: 1, write: 1, remove: 1 },
};
/** What an entry about the caller counts where the question is about the caller too. */
const CALLERS_OWN = 1.4;
/** What an entry counts that is for many things at once, or on its way in or out, where the question does not say so. */
const SPECIAL_CASE = 0.85;
const SPECIAL: ReadonlySet<string> = new Set(
  "async asynchronously batch beta bulk dangerous deprecated legacy multiple".split(" ").map(stem),
);

/** So many of the best by their words are ranked by all else; of common words the others are the larger part. */
const RANKED = 300;

/** A full-text index that is made piece by piece: some thousand entries take seconds. */
export interface GrowingTextIndex<Key> {
  add(entries: readonly Entry<Key>[]): void;
  readonly find: TextIndex<Key>;
}

export function createTextIndex<Key>(entries: readonly Entry<Key>[]): TextIndex<Key> {
  const index = createGrowingTextIndex<Key>();
  index.add(entries);
  return index.find;
}

/** Held in memory. */
export function createGrowingTextIndex<Key>(): GrowingTextIndex<Key> {
  const index = createInvertedIndex();
  const ranks: Ranked<Key>[] = [];
  const add = (entries: readonly Entry<Key>[]): void => {
    const stemOf = remembered(stem);
    for (const { text, ...entry } of entries) {
      index.add(PART_NAMES.map((part) => ({ words: wordsOf(text[part], stemOf), ...PARTS[part] })));
      ranks.push({ ...entry, titles: [titleOf(text.title, stemOf), titleOf(text.name, stemOf)] });
    }
  };
  const find: TextIndex<Key> = (text) => {
    const question = questionOf(text);
    if (question.concepts.length === 0) return [];
    const { scores, covered, said } = scoresOf(index, question);
    const found: number[] = [];
    for (let entry = 0; entry < scores.length; entry++) {
      if (scores[entry] === 0) continue;
      scores[entry] = (scores[entry] as number) * (covered[entry] as number) ** COVERAGE_POWER;
      found.push(entry);
    }
    found.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
    const ranked = found.slice(0, RANKED).map((at) => {
      const entry = ranks[at] as Ranked<Key>;
      const share = Math.max(...entry.titles.map((title) => titleShare(title, said, question.intent)));
      return { entry, score: (scores[at] as number) * (TITLE_BASE + share) * fitness(entry, question, said) };
    });
    ranked.sort((a, b) => b.score - a.score || a.entry.titles[0].length - b.entry.titles[0].length);
    const others = found.slice(RANKED).map((at) => ranks[at] as Ranked<Key>);
    return [...ranked.map(({ entry }) => entry), ...others].map(({ key }) => key);
  };
  return { add, find };
}

/** Of an entry what is kept, without its texts. */
interface Ranked<Key> extends Omit<Entry<Key>, "text"> {
  /** What it is called, for people and for programs. */
  readonly titles: readonly [Title, Title];
}

/** Its words, without those that tell no tool from another. */
type Title = readonly string[];

/** By what an entry does and for whom, whatever it is about. */
function fitness(
  { effect, isAboutCaller, titles }: Ranked<unknown>,
  { intent, isOfCaller }: Question,
  said: Said,
): number {
  const isSpecial = titles.some((words) => words.some((word) => SPECIAL.has(word) && !said.has(word)));
  return EFFECTS[intent][effect] * (isOfCaller && isAboutCaller ? CALLERS_OWN : 1) * (isSpecial ? SPECIAL_CASE : 1);
}

interface Scores {
  /** By entry: BM25, each thing that is asked for counted once, whichever way it is said. */
  readonly scores: Float64Array;
  /** By entry: how much of the question it has, from 0 to 1. */
  readonly covered: Float64Array;
  readonly said: Said;
}

/** Every word that says something of the question, with how well, from 0 to 1. */
type Said = ReadonlyMap<string, number>;

function scoresOf(index: InvertedIndex, { concepts }: Question): Scores {
  const scores = new Float64Array(index.size);
  const covered = new Float64Array(index.size);
  const best = new Float64Array(index.size);
  const said = new Map<string, number>();
  let asked = 0;
  for (const concept of concepts) {
    const words = waysToSay(index, concept);
    const rarity = rarityOfConcept(index, concept, words);
    const share = concept.isNeeded ? 1 : 0;
    const found: number[] = [];
    asked += share;
    for (const [word, strength] of words) {
      said.set(word, Math.max(said.get(word) ?? 0, strength));
      const worth = concept.weight * strength * Math.min(rarityOf(index, word), rarity * RARER);
      index.visit(word, (entry, weight) => {
        const value = (worth * weight) / (weight + SATURATION);
        const former = numberAt(best, entry);
        if (former === 0) found.push(entry);
        if (value > former) best[entry] = value;
      });
    }
    for (const entry of found) {
      scores[entry] = numberAt(scores, entry) + numberAt(best, entry);
      covered[entry] = numberAt(covered, entry) + share;
      best[entry] = 0;
    }
  }
  return { scores, covered: covered.map((share) => share / (asked || 1)), said };
}

/** The words to look for, with how well they say what is meant, from 0 to 1. */
function waysToSay(index: InvertedIndex, { word, synonyms }: Concept): ReadonlyMap<string, number> {
  const ways = new Map<string, number>();
  const isKnown = index.count(word) > 0 || synonyms.length > 0;
  if (!isKnown && word.length >= SIMILAR_FROM) for (const other of index.similar(word)) ways.set(other, SIMILAR);
  if (word.length >= LONGER_FROM) for (const other of index.longer(word)) ways.set(other, LONGER);
  for (const [at, other] of synonyms.entries()) ways.set(other, Math.max(LEAST_SYNONYM, SYNONYM - SYNONYM_STEP * at));
  return ways.set(word, 1);
}

/** `idf` of BM25. */
function rarityOf(index: InvertedIndex, word: string): number {
  const count = index.count(word);
  return Math.log(1 + (index.size - count + 0.5) / (count + 0.5));
}

/** Of the word that was said, or else of the rarest that means the same. */
function rarityOfConcept(
  index: InvertedIndex,
  { word, isCommand }: Concept,
  ways: ReadonlyMap<string, number>,
): number {
  const candidates = index.count(word) > 0 ? [word] : [...ways.keys()].filter((other) => index.count(other) > 0);
  const rarity = Math.max(0, ...candidates.map((other) => rarityOf(index, other)));
  return isCommand ? Math.min(rarity, COMMAND_RARITY) : rarity;
}

function numberAt(list: Float64Array, place: number): number {
  return list[place] as number;
}

/** In titles says no more than that the tool is about the caller. */
const CALLER = /\bauthenticated user\b/i;
/** First words of titles that a question without a verb means. */
const SHOWING: ReadonlySet<string> = new Set(["list", "get", "retrieve", "show"].map(stem));
/** Words of titles that tell no tool from another. */
const FILLERS: ReadonlySet<string> = new Set(
  ["new", "existing", "specified", "given", "single", "specific", "id"].map(stem),
);

function titleOf(text: string, stemOf: typeof stem): Title {
  return [...new Set(wordsOf(text.replace(CALLER, ""), stemOf))].filter((word) => !FILLERS.has(word));
}

/** How much of a title a question says, from 0 to 1. */
function titleShare(words: Title, said: Said, intent: Intent): number {
  if (words.length === 0) return 0;
  let share = 0;
  for (const [at, word] of words.entries()) {
    share += said.get(word) ?? (at === 0 && intent === "browse" && SHOWING.has(word) ? 1 : 0);
  }
  return share / words.length;
}

/** Of the same word the same text, in memory, too. */
function remembered(work: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    const result = known.get(word) ?? work(word);
    known.set(word, result);
    return result;
  };
}
