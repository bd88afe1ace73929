import type { Intent } from "./intent.ts";
import { stem, wordsOf } from "./words.ts";

/** What of a title is compared with questions. */
export interface TitleParts {
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

export function titleParts(text: string): TitleParts {
  const words = new Set(wordsOf(text.replace(CALLER, "")));
  const [first] = words;
  return { size: words.size, showing: SHOWING.find((word) => word === first), isOfCaller: CALLER.test(text) };
}

/**
 * How much of a title a question says, from 0 to 1.
 *
 * @param found words of the title that the question has, whichever way they are said
 */
export function titleShare(
  { size, showing, isOfCaller }: TitleParts,
  found: readonly string[],
  intent: Intent,
): number {
  if (size === 0) return 0;
  const said = isOfCaller ? found.filter((word) => !CALLER_WORDS.includes(word)) : found;
  const meant = intent === "browse" && showing !== undefined && !said.includes(showing) ? 1 : 0;
  return Math.min(1, (said.length + meant) / size);
}
