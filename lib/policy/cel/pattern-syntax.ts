/** A regular expression of RE2's syntax cannot be read; the message says why, for people. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}

export type Pattern =
  | { readonly kind: "character"; readonly isOne: (character: string) => boolean }
  /** Between two characters, undefined at the ends of the text. */
  | { readonly kind: "position"; readonly holds: (before: string | undefined, after: string | undefined) => boolean }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly Pattern[] }
  /** What stands in brackets that remember it; `index` counts from 1. */
  | { readonly kind: "group"; readonly part: Pattern; readonly index: number; readonly name: string | undefined }
  /** `most` is undefined where there is no end to it. `lazy` prefers few. */
  | {
      readonly kind: "repeat";
      readonly part: Pattern;
      readonly least: number;
      readonly most: number | undefined;
      readonly lazy: boolean;
    };

/** `cel`: what both RE2 and people who write expressions mean. `re2`: Go's, with named groups, flags anywhere and POSIX classes. */
export type Dialect = "cel" | "re2";

/** Characters of a pattern, and how deep its groups are nested. */
const LONGEST = 1_000;
const DEEPEST = 100;

/**
 * Reads RE2's syntax but for what JavaScript cannot say of one character, and in the dialect `cel` flags other than a leading `(?i)`.
 *
 * @throws PatternError
 */
export function readPattern(source: string, dialect: Dialect = "cel"): Pattern {
  if (source.length > LONGEST) throw new PatternError(`has more than ${LONGEST} characters`);
  const reader = new Reader(...begin(source, dialect), dialect);
  const pattern = reader.choice(0);
  if (reader.next !== undefined) throw new PatternError(`has an unmatched "${reader.next}"`);
  return pattern;
}

function begin(source: string, dialect: Dialect): readonly [string, Flags] {
  if (dialect === "re2") return [quotesWritten(source), NO_FLAGS];
  const [, insensitive, rest = ""] = /^(\(\?i\))?(.*)$/su.exec(source) ?? [];
  return [rest, { ...NO_FLAGS, i: insensitive !== undefined }];
}

/** `\Q…\E` with escapes instead. */
function quotesWritten(source: string): string {
  return source.replace(/\\(?:Q(.*?)(?:\\E|$)|.)/gsu, (whole, text: string | undefined) =>
    text === undefined ? whole : text.replace(/[^\w\s]/gu, "\\$&"),
  );
}

/** Go, `regexp/syntax`: insensitive, `^` and `$` at lines, `.` matches line ends, lazy by itself. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

const NO_FLAGS: Flags = { i: false, m: false, s: false, U: false };

const WORD = /^\w$/u;

/** As `\b` tells words. */
export function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character);
}

const POSITIONS: Readonly<Record<string, Extract<Pattern, { kind: "position" }>["holds"]>> = {
  "^": (before) => before === undefined,
  $: (_, after) => after === undefined,
  "\\A": (before) => before === undefined,
  "\\z": (_, after) => after === undefined,
  "\\b": (before, after) => isWord(before) !== isWord(after),
  "\\B": (before, after) => isWord(before) === isWord(after),
};

const LINES: Readonly<Record<string, Extract<Pattern, { kind: "position" }>["holds"]>> = {
  "^": (before) => before === undefined || before === "\n",
  $: (_, after) => after === undefined || after === "\n",
};

/** One atom at the beginning of what is left. */
const ATOM = /^(?:\[\^?(?:\\.|[^\]\\])+\]|\\(?:x\{[0-9A-Fa-f]+\}|[pP]\{\w+\}|x[0-9A-Fa-f]{2}|.)|[^\\])/su;
const ATOM_RE2 =
  /^(?:\[\^?\]?(?:\[:\^?\w+:\]|\\[pP]\{\^?\w+\}|\\.|[^\]\\])*\]|\\(?:x\{[0-9A-Fa-f]+\}|[pP](?:\{\^?\w+\}|\w)|x[0-9A-Fa-f]{2}|.)|[^\\])/su;
const REPEAT = /^(?:[*+?]|\{(\d{1,4})(,?)(\d{0,4})\})\??/u;

/** Groups of Go's syntax that are more than brackets. */
const GROUP = /^\?(?:P?<(\w+)>|([imsU]*)(?:-([imsU]+))?([:)]))/;

class Reader {
  readonly #dialect: Dialect;
  #flags: Flags;
  #rest: string;
  #groups = 0;

  constructor(source: string, flags: Flags, dialect: Dialect) {
    this.#rest = source;
    this.#flags = flags;
    this.#dialect = dialect;
  }

  get next(): string | undefined {
    return this.#rest[0];
  }

  choice(depth: number): Pattern {
    if (depth > DEEPEST) throw new PatternError("has groups that are nested too deeply");
    const parts = [this.#sequence(depth)];
    while (this.#take("|")) parts.push(this.#sequence(depth));
    return { kind: "choice", parts };
  }

  #sequence(depth: number): Pattern {
    const parts: Pattern[] = [];
    while (this.next !== undefined && this.next !== "|" && this.next !== ")") parts.push(this.#repeated(depth));
    return { kind: "sequence", parts };
  }

  #repeated(depth: number): Pattern {
    const part = this.#take("(") ? this.#group(depth) : this.#atom();
    const found = REPEAT.exec(this.#rest);
    if (found === null) return part;
    const [text, least = "0", comma, most] = found;
    this.#rest = this.#rest.slice(text.length);
    if (REPEAT.test(this.#rest)) throw new PatternError("repeats a repetition");
    const lazy = (text.length > 1 && text.endsWith("?")) !== this.#flags.U;
    if (text.startsWith("{")) return repeat(part, Number(least), comma === "" ? Number(least) : numberOf(most), lazy);
    return repeat(part, text.startsWith("+") ? 1 : 0, text.startsWith("?") ? 1 : undefined, lazy);
  }

  #group(depth: number): Pattern {
    if (this.next !== "?") return this.#remembered(depth, undefined);
    if (this.#dialect === "cel") {
      if (!this.#take("?:")) throw new PatternError("has a group of another kind than (…) and (?:…)");
      return this.#closed(depth);
    }
    const [text, name, set = "", unset = "", end] = GROUP.exec(this.#rest) ?? [];
    if (text === undefined) throw new PatternError("has a group of a kind that is not accepted");
    this.#rest = this.#rest.slice(text.length);
    if (name !== undefined) return this.#remembered(depth, name);
    const before = this.#flags;
    const off = Object.fromEntries([...unset].map((flag) => [flag, false]));
    this.#flags = { ...before, ...Object.fromEntries([...set].map((flag) => [flag, true])), ...off };
    // Flags alone hold to the end of the group that they stand in.
    if (end === ")") return { kind: "sequence", parts: [] };
    const pattern = this.#closed(depth);
    this.#flags = before;
    return pattern;
  }

  #remembered(depth: number, name: string | undefined): Pattern {
    this.#groups += 1;
    const index = this.#groups;
    return { kind: "group", part: this.#closed(depth), index, name };
  }

  #closed(depth: number): Pattern {
    const flags = this.#flags;
    const pattern = this.choice(depth + 1);
    this.#flags = flags;
    if (!this.#take(")")) throw new PatternError('has an unmatched "("');
    return pattern;
  }

  #atom(): Pattern {
    const isRe2 = this.#dialect === "re2";
    const [text = ""] = (isRe2 ? ATOM_RE2 : ATOM).exec(this.#rest) ?? [];
    const meaningless = isRe2 ? /^[*+?[]/ : /^[*+?[{]/;
    if (text === "" || meaningless.test(text.length === 1 ? text : "")) {
      throw new PatternError(`has "${this.next}" where it means nothing`);
    }
    this.#rest = this.#rest.slice(text.length);
    const positions = this.#flags.m && Object.hasOwn(LINES, text) ? LINES : POSITIONS;
    const holds = Object.hasOwn(positions, text) ? positions[text] : undefined;
    return holds === undefined ? this.#character(text) : { kind: "position", holds };
  }

  #character(text: string): Pattern {
    try {
      const written = this.#dialect === "re2" ? fromRe2(text, this.#flags.s) : inJavaScript(text);
      const expression = new RegExp(`^${written}$`, this.#flags.i ? "iu" : "u");
      return { kind: "character", isOne: remembered((character) => expression.test(character)) };
    } catch {
      throw new PatternError(`has ${text}, which is not accepted`);
    }
  }

  #take(text: string): boolean {
    if (!this.#rest.startsWith(text)) return false;
    this.#rest = this.#rest.slice(text.length);
    return true;
  }
}

/** An expression costs much more than a look into a table. */
function remembered(isOne: (character: string) => boolean): (character: string) => boolean {
  const known: boolean[] = [];
  return (character) => {
    const code = character.charCodeAt(0);
    if (code >= 128) return isOne(character);
    const answer = known[code] ?? isOne(character);
    known[code] = answer;
    return answer;
  };
}

const SPACES = "\\t\\n\\f\\r ";

/** An atom of RE2 in JavaScript's words; what has no such words throws. */
function inJavaScript(text: string): string {
  if (text === ".") return "[^\\n]";
  if (text === "]" || text === "}") return `\\${text}`;
  const isClass = text.startsWith("[");
  if (isClass && /\[:|\\[SbB]/.test(text)) throw new SyntaxError(text);
  return text.replace(/\\(x\{|.)/gsu, (whole, what: string) => {
    if (what === "x{") return "\\u{";
    if (what === "s") return isClass ? SPACES : `[${SPACES}]`;
    if (what === "S") return `[^${SPACES}]`;
    if (/[1-9kc]/.test(what)) throw new SyntaxError(whole);
    // RE2 takes every escaped punctuation mark, JavaScript only those of its own.
    return /[\w\s]/u.test(what) && what !== "_" ? whole : `\\u{${what.codePointAt(0)?.toString(16)}}`;
  });
}

/** POSIX classes, of ASCII (RE2, "Syntax"). */
const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7F",
  blank: "\\t ",
  cntrl: "\\x00-\\x1F\\x7F",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
const IN_CLASS = /\[:(\^?)(\w+):\]|\\[pP](?:\{\^?\w+\}|\w)|\\x\{[0-9A-Fa-f]+\}|\\.|./gsu;

/** An atom of Go's syntax in JavaScript's words; what has no such words throws. */
function fromRe2(text: string, dotAll: boolean): string {
  if (text === ".") return dotAll ? "[^]" : "[^\\n]";
  if (text === "{") return "\\{";
  if (/^\\[pP]/.test(text)) return property(text);
  if (!text.startsWith("[")) return text === "\\a" ? "\\x07" : inJavaScript(text);
  const [, opening = "", body = ""] = /^(\[\^?)(.*)\]$/su.exec(text) ?? [];
  let written = "";
  let afterClass = false;
  for (const [token, not, name] of body.matchAll(IN_CLASS)) {
    const isSet = name !== undefined || /^\\[dDwWsSpP]/.test(token);
    if (name !== undefined) written += posix(name, not === "^");
    else if (/^\\[pP]/.test(token)) written += property(token);
    else if (token === "-" && afterClass) written += "\\-";
    else if (token === "\\S") written += "\\0-\\x08\\x0b\\x0e-\\x1f!-\\u{10ffff}";
    else written += token === "]" || token === "[" ? `\\${token}` : inJavaScript(`[${token}]`).slice(1, -1);
    afterClass = isSet;
  }
  return `${opening}${written}]`;
}

function posix(name: string, not: boolean): string {
  const ranges = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
  if (ranges === undefined || not) throw new SyntaxError(name);
  return ranges;
}

/** `\pL`, `\p{Lu}`, `\p{Greek}`, `\p{^Greek}`. */
function property(text: string): string {
  const [, letter = "p", not = "", name = ""] = /^\\([pP])\{?(\^?)(\w+)\}?$/.exec(text) ?? [];
  const sign = (letter === "P") !== (not === "^") ? "P" : "p";
  const isCategory = /^(?:[LMNPSZC][a-z&]?|Any)$/.test(name);
  return `\\${sign}{${isCategory ? name : `Script=${name}`}}`;
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined || digits === "" ? undefined : Number(digits);
}

/** Of one character; the largest count is Go's. */
const MOST = 1_000;

function repeat(part: Pattern, least: number, most: number | undefined, lazy: boolean): Pattern {
  if (most !== undefined && most < least) throw new PatternError("has a repetition whose end is before its beginning");
  if (least > MOST || (most ?? 0) > MOST) throw new PatternError(`repeats more than ${MOST} times`);
  return { kind: "repeat", part, least, most, lazy };
}
