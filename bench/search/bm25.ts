import type { Catalog, CatalogTool } from "../../lib/openapi/catalog.ts";
import { synonyms } from "../../lib/search/synonyms.ts";
import { wordsOf } from "../../lib/search/words.ts";
import type { FindNames } from "../../test/openapi/search-quality.ts";

/** The constants of BM25 as they are commonly set. */
const K1 = 1.2;
const B = 0.75;

/**
 * BM25 as in textbooks, over one text a tool: name, title, description, path and tags. Names are split into words and
 * forms of a word are one, as in the search that it is compared with.
 *
 * @param hasSynonyms also looks for words that mean the same as those of the question, which count the same
 */
export function plainBM25({ tools }: Catalog, hasSynonyms: boolean): FindNames {
  const texts = tools.map((tool) => wordsOf(textOf(tool)));
  const counts = texts.map(countsOf);
  const length = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
  const inTools = new Map<string, number>();
  for (const words of counts) for (const word of words.keys()) inTools.set(word, (inTools.get(word) ?? 0) + 1);
  const rarity = (word: string): number => {
    const count = inTools.get(word) ?? 0;
    return Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
  };
  return (question) => {
    const asked = new Set(hasSynonyms ? withSynonyms(question) : wordsOf(question));
    const scores = counts.map((words, at) => {
      const norm = K1 * (1 - B + (B * (texts[at]?.length ?? 0)) / length);
      return [...asked].reduce((sum, word) => {
        const count = words.get(word) ?? 0;
        return sum + (rarity(word) * count * (K1 + 1)) / (count + norm);
      }, 0);
    });
    const found = tools.map(({ name }, at) => ({ name, score: scores[at] ?? 0 })).filter(({ score }) => score > 0);
    return found.sort((a, b) => b.score - a.score).map(({ name }) => name);
  };
}

export function textOf({ localName, title, description, path, tags = [] }: CatalogTool): string {
  return [localName, title, description, path, ...tags].join(" ");
}

function withSynonyms(question: string): readonly string[] {
  return wordsOf(question).flatMap((word) => [word, ...(BY_STEM.get(word) ?? [])]);
}

const BY_STEM: ReadonlyMap<string, readonly string[]> = new Map(
  [...synonyms()].map(([word, others]) => [wordsOf(word)[0] ?? word, others.flatMap((other) => wordsOf(other))]),
);

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
