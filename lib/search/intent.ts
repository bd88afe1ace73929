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
  `acknowledge activate add allow answer append apply approve archive arrange ask assign attach authorize begin
  bookmark bring broadcast build buy change clone combine complete compose configure connect convert copy create
  customize decrease define delegate deliver demote deploy disclose draw duplicate edit embed enable encrypt
  enqueue enrich ensure escalate exchange execute expand extend fill finalize finish fix follow fork forward
  freeze generate give grant grow hand hide hire import increase inform inject insert install invite join keep
  launch lend loan lower make mark merge modify move mute nominate notify offer outsource pass pause pay pin play
  post prepare print prioritize promote protect provide provision publish purchase push put raise react reboot
  rebuild record recover recreate reduce refer refund regenerate register reload remind rename renew reopen
  reorder replace replay reply request rerun reserve resize resolve respond restart restore resume retry rewrite
  ring rotate run save scale schedule seek sell send set setup share shorten shrink sign silence skip snooze sort
  speak split start store strengthen style submit subscribe suspend swap switch sync tag tap tell throttle tie
  train transfer translate trigger try turn tweak unlock update upgrade upload upvote use vote wait wake warn
  widen withdraw wrap write`,
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
