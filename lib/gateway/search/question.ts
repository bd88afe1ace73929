import { OTHER_WORDS } from "./other-words.ts";
import { isStopWord, plainWordsOf, stem } from "./words.ts";

/** Words of a question that count; more only cost time. */
const MAX_WORDS = 20;

export interface Question {
  /** Its words, as the index has them. */
  readonly words: readonly string[];
  /** Every word to look for, with the word of the question that it stands for: itself first. */
  readonly meant: ReadonlyMap<string, string>;
}

export function questionOf(text: string): Question {
  const plain = plainWordsOf(text).filter((word) => !isStopWord(word) || OTHER.has(stem(word)));
  const words = [...new Set(plain.map(stem))].slice(0, MAX_WORDS);
  const meant = new Map(words.map((word) => [word, word]));
  for (const word of words) {
    for (const other of OTHER.get(word) ?? []) if (!meant.has(other)) meant.set(other, word);
  }
  return { words, meant };
}

const OTHER: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(OTHER_WORDS).map(([word, others]) => [stem(word), [...new Set(others.split(" ").map(stem))]]),
);
