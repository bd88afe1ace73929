import MiniSearch from "minisearch";
import { type Question, questionOf } from "./question.ts";
import type { ToolText } from "./tool-text.ts";
import { wordsOf } from "./words.ts";

/** The keys of the entries that have words of a question, the best first. */
export type TextIndex<Key> = (question: string) => readonly Key[];

/** How much a word counts by where it stands. */
const WEIGHTS: Readonly<Record<keyof ToolText, number>> = {
  name: 3,
  title: 4,
  tags: 1.5,
  path: 1.5,
  verbs: 1,
  description: 1,
};
const FIELDS = Object.keys(WEIGHTS) as (keyof ToolText)[];

/** What a word counts that was not said, but means the same. */
const OTHER_WORD = 0.7;
/** An entry with half of the question's words is worth less than half of one with all of them. */
const COVERAGE_POWER = 1.5;
/** What an entry keeps of whose title the question says nothing. */
const TITLE_BASE = 0.5;

/** So many of what the library ranks highest are ranked anew; of common words the others are the larger part. */
const RANKED = 200;

/** Words that are in each other or differ by one letter are found as well, and count less. */
const SEARCH = {
  boost: WEIGHTS,
  prefix: (word: string) => word.length >= 4,
  fuzzy: (word: string) => (word.length >= 6 ? 1 : false),
  weights: { prefix: 0.5, fuzzy: 0.2 },
};

/** A full-text index, held in memory. The library behind it is known to this file alone. */
export function createTextIndex<Key>(
  entries: readonly { readonly key: Key; readonly text: ToolText }[],
): TextIndex<Key> {
  const documents = entries.map(({ text }, id) => ({ id, ...text }));
  const index = new MiniSearch<ToolText & { id: number }>({
    fields: FIELDS,
    tokenize: (text) => [...wordsOf(text)],
    processTerm: (word) => word,
  });
  index.addAll(documents);
  const titles = documents.map(({ title }) => new Set(wordsOf(title)).size);
  return (text) => {
    const question = questionOf(text);
    if (question.words.length === 0) return [];
    const hits = index.search([...question.meant.keys()].join(" "), {
      ...SEARCH,
      tokenize: (words) => words.split(" "),
      boostTerm: (word) => (question.meant.get(word) === word ? 1 : OTHER_WORD),
    });
    const ranked = hits
      .slice(0, RANKED)
      .map((hit) => ({ id: hit.id as number, score: scoreOf(hit, question, titles[hit.id as number] ?? 0) }))
      .sort((a, b) => b.score - a.score);
    return [...ranked, ...hits.slice(RANKED)].map(({ id }) => (entries[id] as (typeof entries)[number]).key);
  };
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
 *
 * @param titleWords in the title of the entry
 */
function scoreOf({ score, queryTerms, match }: Hit, { words, meant }: Question, titleWords: number): number {
  const said = new Set(queryTerms.map((word) => meant.get(word))).size;
  const inTitle = Object.values(match).filter((fields) => fields.includes("title")).length;
  const ofTitle = titleWords === 0 ? 0 : Math.min(1, inTitle / titleWords);
  return (score / queryTerms.length) * (said / words.length) ** COVERAGE_POWER * (TITLE_BASE + ofTitle);
}
