/** Words longer than this are cut: nothing that people search for is longer. */
const LONGEST_WORD = 40;

/**
 * The words of a text as the index has them, in order: identifiers are split (`camelCase`, `snake_case`, `HTTPServer2`),
 * letters are small, words that say nothing are left out, and forms of one English word are one.
 */
export function wordsOf(text: string, stemOf: (word: string) => string = stem): readonly string[] {
  return plainWordsOf(text)
    .filter((word) => !isStopWord(word))
    .map(stemOf);
}

/** Whether any question has the word, or any operation could say it of itself. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The words as they are written, in small letters; short forms are written out. */
export function plainWordsOf(text: string): readonly string[] {
  return text
    .normalize("NFKC")
    .replaceAll(/['’](?=[a-z]{1,2}\b)/gi, "")
    .replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1 ")
    .replaceAll(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1 ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => (Object.hasOwn(SHORT_FOR, word) ? (SHORT_FOR[word] as string) : word.slice(0, LONGEST_WORD)));
}

/**
 * Cuts the common endings of English words. What is left need not be a word; it only has to be the same for `merge`,
 * `merges`, `merged` and `merging`, and rarely for words that have nothing to do with each other.
 */
export function stem(written: string): string {
  const word = IRREGULAR.get(written) ?? written;
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  const singular = word
    .replace(/ies$/, "y")
    .replace(/(ss|sh|ch|x)es$/, "$1")
    .replace(/([^su])s$/, "$1");
  const whole = singular
    .replace(/ied$/, "y")
    .replace(/(?<=^[a-z]{5,})ment$/, "")
    .replace(/(?<=^[a-z]{3,}t)or$/, "");
  const root = whole.replace(/(?<=[a-z]*[aeiouy][a-z]*[a-z])(ing|ed|er|ion)$/, "");
  const single = root === whole || root.length < 3 ? root : root.replace(/([bdfgmnprt])\1$/, "$1");
  const bare = single.length < 3 ? whole : single;
  return bare.length > 3 ? bare.replace(/e$/, "").replace(/(?<=^[a-z]{5,})at$/, "") : bare;
}

/** Forms of verbs that no ending tells. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `began begin; begun begin; bought buy; broke break; broken break; brought bring; built build; chosen choose; drawn draw;
  gave give; given give; held hold; hidden hide; kept keep; known know; lost lose; made make; paid pay; ran run;
  seen see; sent send; shown show; sold sell; taken take; told tell; took take; went go;
  wrote write`
    .split(";")
    .map((pair) => pair.trim().split(" ") as [string, string]),
);

const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about again all else different already also am an and another any are as at be been being but by can could did do does for from had has have
  her him his how i if in into is it its let like make me mine my myself no not now of on one onto or our please should so some
  somebody someone something than that the their them then there these they this those to two us use using want was we were
  what when where whether which who whose will with would you your`.split(/\s+/),
);

/** Short forms that stand for the same word in names and in speech. */
const SHORT_FOR: Readonly<Record<string, string>> = {
  admin: "administrator",
  app: "application",
  apps: "application",
  auth: "authentication",
  config: "configuration",
  db: "database",
  dir: "directory",
  doc: "document",
  docs: "document",
  env: "environment",
  info: "information",
  msg: "message",
  org: "organization",
  orgs: "organization",
  param: "parameter",
  params: "parameter",
  pic: "picture",
  repo: "repository",
  repos: "repository",
};
