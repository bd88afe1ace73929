import MiniSearch from "minisearch";
import type { Intent } from "./intent.ts";
import { type Question, questionOf } from "./question.ts";
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

/** How much a word counts by where it stands. */
const WEIGHTS: Readonly<Record<keyof ToolText, number>> = {
  name: 3,
  title: 4,
  app: 1.5,
  tags: 1.5,
  path: 1.5,
  verbs: 1,
  description: 1,
};
const FIELDS = Object.keys(WEIGHTS) as (keyof ToolText)[];

/** What a word counts that was not said, but means the same. */
const SYNONYM_WEIGHT = 0.7;
/** An entry with half of the question's words is worth less than half of one with all of them. */
const COVERAGE_POWER = 1.5;
/** What an entry keeps of whose title the question says nothing. */
const TITLE_BASE = 0.5;

/** What an entry counts by what is wanted: what is asked for is rarely a change, and never a loss unless the question says so. */
const EFFECTS: Readonly<Record<Intent, Readonly<Record<Effect, number>>>> = {
  browse: { list: 1.3, read: 1.1, unknown: 1, write: 0.7, remove: 0.5 },
  read: { list: 1.2, read: 1.2, unknown: 1, write: 0.9, remove: 0.5 },
  write: { list: 0.9, read: 0.9, unknown: 1, write: 1, remove: 0.5 },
  remove: { list: 0.8, read: 0.8, unknown: 0.9, write: 0.9, remove: 1.2 },
  end: { list: 0.9, read: 0.9, unknown: 1, write: 1, remove: 1 },
};
/** What an entry about the caller counts where the question is about the caller too. */
const CALLERS_OWN = 1.4;

/** So many of what the library ranks highest are ranked anew; of common words the others are the larger part. */
const RANKED = 200;

/** Words that are in each other or differ by one letter are found as well, and count less. */
const SEARCH = {
  boost: WEIGHTS,
  prefix: (word: string) => word.length >= 4,
  fuzzy: (word: string) => (word.length >= 6 ? 1 : false),
  weights: { prefix: 0.5, fuzzy: 0.2 },
};

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

/** Held in memory. The library behind it is known to this file alone. */
export function createGrowingTextIndex<Key>(): GrowingTextIndex<Key> {
  const index = new MiniSearch<ToolText & { id: number }>({
    fields: FIELDS,
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (word) => word,
  });
  const ranks: Ranked<Key>[] = [];
  const add = (entries: readonly Entry<Key>[]): void => {
    index.addAll(entries.map(({ text }, at) => ({ id: ranks.length + at, ...text })));
    for (const { text, ...entry } of entries) ranks.push({ ...entry, title: titleParts(text.title) });
  };
  const find: TextIndex<Key> = (text) => {
    const question = questionOf(text);
    if (question.words.length === 0) return [];
    const hits = index.search([...question.meant.keys()].join(" "), {
      ...SEARCH,
      tokenize: (words) => words.split(" "),
      boostTerm: (word) => (question.meant.get(word)?.[0] === word ? 1 : SYNONYM_WEIGHT),
    });
    const ranked = hits
      .slice(0, RANKED)
      .map((hit) => {
        const entry = ranks[hit.id] as Ranked<Key>;
        return { entry, score: scoreOf(hit, question, entry.title) * fitness(entry, question) };
      })
      .sort((a, b) => b.score - a.score || a.entry.title.size - b.entry.title.size);
    const others = hits.slice(RANKED).map(({ id }) => ranks[id] as Ranked<Key>);
    return [...ranked.map(({ entry }) => entry), ...others].map(({ key }) => key);
  };
  return { add, find };
}

/** Of an entry what is kept, without its texts. */
type Ranked<Key> = Omit<Entry<Key>, "text"> & { readonly title: TitleParts };

/** By what an entry does, whatever its words are. */
function fitness({ effect, isAboutCaller }: Ranked<unknown>, { intent, isOfCaller }: Question): number {
  return EFFECTS[intent][effect] * (isOfCaller && isAboutCaller ? CALLERS_OWN : 1);
}

interface Hit {
  /** Multiplied with the number of `queryTerms`. */
  readonly score: number;
  readonly queryTerms: readonly string[];
  /** Fields by the word that was found in them. */
  readonly match: Readonly<Record<string, readonly string[]>>;
}

/**
 * The library's own score (BM25), of which an entry gets the more the more of the question's words it has, whichever way
 * they are said, and the less its title talks of other things: `delete` before `delete-secret-of-environment`.
 */
function scoreOf({ score, queryTerms, match }: Hit, { needed, meant, intent }: Question, title: TitleParts): number {
  const said = new Set(queryTerms.flatMap((word) => meant.get(word) ?? []).filter((word) => needed.has(word))).size;
  const inTitle = Object.keys(match).filter((word) => match[word]?.includes("title"));
  const share = titleShare(title, inTitle, intent);
  return (score / queryTerms.length) * (said / needed.size) ** COVERAGE_POWER * (TITLE_BASE + share);
}

/** What of a title is compared with questions. */
interface TitleParts {
  /** How many words it has, those about the caller left out. */
  readonly size: number;
  /** The first of them, where that only says that something is shown. */
  readonly showing: string | undefined;
  /** Whether words about the caller were left out. */
  readonly isOfCaller: boolean;
}

/** In titles says no more than that the tool is about the caller. */
const CALLER = /\bauthenticated user\b/i;
const CALLER_WORDS: readonly string[] = ["authenticated", "user"].map(stem);
/** First words of titles that a question without a verb means. */
const SHOWING: readonly string[] = ["list", "get", "retrieve", "show"].map(stem);

function titleParts(text: string): TitleParts {
  const words = new Set(wordsOf(text.replace(CALLER, "")));
  const [first] = words;
  return { size: words.size, showing: SHOWING.find((word) => word === first), isOfCaller: CALLER.test(text) };
}

/**
 * How much of a title a question says, from 0 to 1.
 *
 * @param found words of the title that the question has, whichever way they are said
 */
function titleShare({ size, showing, isOfCaller }: TitleParts, found: readonly string[], intent: Intent): number {
  if (size === 0) return 0;
  const said = isOfCaller ? found.filter((word) => !CALLER_WORDS.includes(word)) : found;
  const meant = intent === "browse" && showing !== undefined && !said.includes(showing) ? 1 : 0;
  return Math.min(1, (said.length + meant) / size);
}
