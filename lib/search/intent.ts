import { stem } from "./words.ts";

/**
 * What a question wants done. `browse` is a question without a verb, which wants to see what there is; `end` a word that
 * takes something away in some APIs and changes it in others: to disable.
 */
export type Intent = "browse" | "read" | "write" | "remove" | "end";

const ASKING = stems("compare how many much what when where which who why");
const READING = stems(
  "browse check compare count diff download fetch find get inspect list look lookup read retrieve search see show view",
);
const REMOVING = stems("clean delete destroy discard drop erase forget kick purge remove rid throw trash wipe");
const ENDING = stems(
  `abort block cancel clear close deactivate deny detach disable disconnect dismiss end evict exclude hang kill leave
  reject reset revoke stop terminate undo uninstall`,
);
const WRITING = stems(
  `activate add allow answer apply approve archive ask assign attach begin build buy change complete compose configure
  connect convert copy create delegate demote deploy duplicate edit enable execute extend finish fork generate give
  grant hire import inform install invite keep launch make mark merge modify move notify pause post promote protect
  publish purchase push put raise reboot record recover refund register rename reopen replace reply request rerun
  reserve resize resolve restart restore resume retry rotate run save schedule sell send set share sign start submit
  subscribe sync tag tell train transfer translate trigger try turn update upgrade upload warn withdraw write`,
);

/** What follows a command. */
const DETERMINERS: ReadonlySet<string> = new Set(
  "a an the this that my our your his her their all some somebody someone me us everybody everyone it them".split(" "),
);
/** What a command follows, where it is not the first word. */
const LEADS: ReadonlySet<string> = new Set("and can could i let me please then to want we would you".split(" "));
/** Words before an article that command nothing. */
const PREPOSITIONS: ReadonlySet<string> = new Set(
  "about after at before between by for from in into of on over to under with without and or".split(" "),
);

/**
 * What is asked for: the first verb says it. Of words that are nouns as well, as in “pull requests”, only commands count.
 *
 * @param plain the question's words as `plainWordsOf` gives them
 */
export function intentOf(plain: readonly string[]): Intent {
  for (const [at, word] of plain.entries()) {
    if (isParticiple(word)) continue;
    const form = stem(word);
    if (REMOVING.has(form)) return "remove";
    if (ENDING.has(form) || TAKEN_BACK.test(word)) return "end";
    if (!isCommand(plain, at)) continue;
    if (READING.has(form)) return "read";
    if (WRITING.has(form)) return "write";
  }
  if (plain.some((word) => ASKING.has(stem(word)))) return "read";
  const [first = "", second = ""] = plain;
  return DETERMINERS.has(second) && !PREPOSITIONS.has(first) ? "write" : "browse";
}

/** The word that says what is to be done; undefined where none does. */
export function commandOf(plain: readonly string[]): string | undefined {
  return plain.find((word, at) => {
    if (isParticiple(word)) return false;
    const form = stem(word);
    if (REMOVING.has(form) || ENDING.has(form) || TAKEN_BACK.test(word)) return true;
    return isCommand(plain, at) && (READING.has(form) || WRITING.has(form));
  });
}

/** Whether a word tells of things that something was done to, as in “closed issues”. */
export function isParticiple(word: string): boolean {
  return /..[^e]ed$/.test(word);
}

const TAKEN_BACK = /^un(?:assign|block|follow|link|lock|mark|pin|set|star|subscribe|watch)/;

function isCommand(plain: readonly string[], at: number): boolean {
  const [before = "", word = "", after = ""] = [plain[at - 1], plain[at], plain[at + 1]];
  return at === 0 || (!word.endsWith("s") && (LEADS.has(before) || DETERMINERS.has(after)));
}

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).map(stem));
}
