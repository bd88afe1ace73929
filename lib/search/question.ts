import { lazy } from "../kernel/lazy.ts";
import { commandOf, type Intent, intentOf, isParticiple } from "./intent.ts";
import { type Phrase, phrases, synonyms } from "./synonyms.ts";
import { isStopWord, plainWordsOf, stem } from "./words.ts";

/** Words of a question that count; more only cost time. */
const MAX_WORDS = 20;
/** What a word counts that says where, with what or for whom: a file is moved “to a folder”. */
const AROUND = 0.65;
/** What a word counts that only asks. */
const ASKING = 0.4;

/** By which whoever asks means itself. */
const CALLER: ReadonlySet<string> = new Set(["i", "me", "mine", "my", "myself"]);
/** Words that mostly become an argument: no tool is worth less that does not have them. */
const QUALIFIERS: ReadonlySet<string> = new Set(["current", "existing", "latest", "open", "recent", "still"].map(stem));
const ASKING_WORDS: ReadonlySet<string> = new Set(
  "anybody anyone did everybody everyone how many much somebody someone what when where which who".split(" ").map(stem),
);
/** Between what is wanted and what is said about it. */
const RELATIONS: ReadonlySet<string> = new Set(
  `about after at before between by for from in into on onto over through to toward under until via when whenever where
  which with without`.split(/\s+/),
);

export interface Question {
  /** What it is about, each once, in order. */
  readonly concepts: readonly Concept[];
  readonly intent: Intent;
  /** Whether it is about what belongs to whoever asks. */
  readonly isOfCaller: boolean;
}

/** What one word of a question means. */
export interface Concept {
  /** As the index has it. */
  readonly word: string;
  /** Other words for it, as the index has them. */
  readonly synonyms: readonly string[];
  /** How much it counts beside the others: 1, or less. */
  readonly weight: number;
  /** Whether it says what is to be done. */
  readonly isCommand: boolean;
  /** Whether a tool should have it. */
  readonly isNeeded: boolean;
}

export function questionOf(text: string): Question {
  const spoken = plainWordsOf(text);
  const plain = withoutPhrases(spoken);
  const intent = intentOf(plain);
  const said = plain.filter((word) => !isStopWord(word) || stemmedSynonyms().has(stem(word))).map(stem);
  const words = [...new Set(said)].slice(0, MAX_WORDS);
  const needed = neededOf(words, intent === "browse" ? plain.filter(isParticiple).map(stem) : []);
  const [around, command] = [aroundOf(plain), stem(commandOf(plain) ?? "")];
  const concepts = words.map((word) => ({
    word,
    synonyms: stemmedSynonyms().get(word) ?? [],
    weight: ASKING_WORDS.has(word) ? ASKING : around.has(word) ? AROUND : 1,
    isCommand: word === command,
    isNeeded: needed.has(word),
  }));
  return { concepts, intent, isOfCaller: spoken.some((word) => CALLER.has(word)) };
}

/** @param states words that say what things are like */
function neededOf(words: readonly string[], states: readonly string[]): ReadonlySet<string> {
  const isNeeded = (word: string) => !QUALIFIERS.has(word) && !ASKING_WORDS.has(word) && !states.includes(word);
  const needed = words.filter(isNeeded);
  return new Set(needed.length === 0 ? words : needed);
}

/** The words after the first relation that follows a thing, unless they stand before it, too. */
function aroundOf(plain: readonly string[]): ReadonlySet<string> {
  const command = plain.indexOf(commandOf(plain) ?? "");
  const thing = plain.findIndex((word, at) => at > command && !isStopWord(word) && !RELATIONS.has(word));
  const relation = plain.findIndex((word, at) => thing >= 0 && at > thing && RELATIONS.has(word));
  if (relation < 0) return new Set();
  const before = new Set(plain.slice(0, relation).map(stem));
  return new Set(
    plain
      .slice(relation)
      .map(stem)
      .filter((word) => !before.has(word)),
  );
}

function withoutPhrases(plain: readonly string[]): readonly string[] {
  const text = patterns().reduce((said, [pattern, word]) => said.replace(pattern, word), ` ${plain.join(" ")} `);
  return text
    .trim()
    .split(" ")
    .filter((word) => word !== "");
}

/** What follows a verb also stands after what it is done to: to log somebody out. */
const PARTICLE = /^(\S+) (away|back|down|off|out|over|up)$/;
const patterns = lazy(() => phrases().map(patternOf));

function patternOf([phrase, word]: Phrase): readonly [RegExp, string] {
  const [, verb, particle] = PARTICLE.exec(phrase) ?? [];
  if (verb === undefined) return [new RegExp(` ${phrase}(?= )`, "g"), ` ${word}`];
  return [new RegExp(` ${verb} ((?:\\S+ ){0,3}?)${particle}(?= )`, "g"), ` ${word} $1`];
}

const stemmedSynonyms = lazy(() => stemmed(synonyms()));

/** Of words with one stem the synonyms are those of all. */
function stemmed(synonyms: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const [word, others] of synonyms) {
    const form = stem(word);
    const known = new Set([...(all.get(form) ?? []), ...others.map(stem)]);
    all.set(
      form,
      [...known].filter((other) => other !== form),
    );
  }
  return all;
}
