import { type Intent, intentOf, isParticiple } from "./intent.ts";
import { PHRASES, SYNONYMS } from "./synonyms.ts";
import { isStopWord, plainWordsOf, stem } from "./words.ts";

/** Words of a question that count; more only cost time. */
const MAX_WORDS = 20;
/** By which whoever asks means itself. */
const CALLER: ReadonlySet<string> = new Set(["i", "me", "mine", "my", "myself"]);
/** Words that mostly become an argument: no tool is worth less that does not have them. */
const QUALIFIERS: ReadonlySet<string> = new Set(["current", "existing", "latest", "open", "recent", "still"].map(stem));

export interface Question {
  /** Its words, as the index has them. */
  readonly words: readonly string[];
  /** Those that a tool should have. */
  readonly needed: ReadonlySet<string>;
  /** Every word to look for, with the words of the question that it stands for: itself first. */
  readonly meant: ReadonlyMap<string, readonly string[]>;
  readonly intent: Intent;
  /** Whether it is about what belongs to whoever asks. */
  readonly isOfCaller: boolean;
}

export function questionOf(text: string): Question {
  const spoken = plainWordsOf(text);
  const isOfCaller = spoken.some((word) => CALLER.has(word));
  const plain = withoutPhrases(spoken);
  const said = plain.filter((word) => !isStopWord(word) || STEMMED_SYNONYMS.has(stem(word))).map(stem);
  const words = [...new Set(said)].slice(0, MAX_WORDS);
  const meant = new Map<string, string[]>(words.map((word) => [word, [word]]));
  for (const word of words) {
    for (const other of STEMMED_SYNONYMS.get(word) ?? []) meant.set(other, [...(meant.get(other) ?? []), word]);
  }
  const intent = intentOf(plain);
  const states = intent === "browse" ? plain.filter(isParticiple).map(stem) : [];
  const needed = words.filter((word) => !QUALIFIERS.has(word) && !states.includes(word));
  return { words, needed: new Set(needed.length === 0 ? words : needed), meant, intent, isOfCaller };
}

function withoutPhrases(plain: readonly string[]): readonly string[] {
  const text = PHRASES.reduce(
    (said, [phrase, word]) => said.replaceAll(` ${phrase} `, ` ${word} `),
    ` ${plain.join(" ")} `,
  );
  return text
    .trim()
    .split(" ")
    .filter((word) => word !== "");
}

const STEMMED_SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SYNONYMS).map(([word, others]) => [stem(word), [...new Set(others.split(" ").map(stem))]]),
);
