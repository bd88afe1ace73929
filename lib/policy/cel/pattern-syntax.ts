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
  /** `most` is undefined where there is no end to it. */
  | { readonly kind: "repeat"; readonly part: Pattern; readonly least: number; readonly most: number | undefined };

/** Characters of a pattern, and how deep its groups are nested. */
const LONGEST = 1_000;
const DEEPEST = 100;

/** Reads RE2's syntax but for what JavaScript cannot say of one character, and flags other than a leading `(?i)`. */
export function readPattern(source: string): Pattern {
  if (source.length > LONGEST) throw new PatternError(`has more than ${LONGEST} characters`);
  const [, insensitive, rest = ""] = /^(\(\?i\))?(.*)$/su.exec(source) ?? [];
  const reader = new Reader(rest, insensitive === undefined ? "u" : "iu");
  const pattern = reader.choice(0);
  if (reader.next !== undefined) throw new PatternError(`has an unmatched "${reader.next}"`);
  return pattern;
}

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

/** One atom at the beginning of what is left. */
const ATOM = /^(?:\[\^?(?:\\.|[^\]\\])+\]|\\(?:x\{[0-9A-Fa-f]+\}|[pP]\{\w+\}|x[0-9A-Fa-f]{2}|.)|[^\\])/su;
const REPEAT = /^(?:[*+?]|\{(\d{1,4})(,?)(\d{0,4})\})\??/u;

class Reader {
  readonly #flags: string;
  #rest: string;

  constructor(source: string, flags: string) {
    this.#rest = source;
    this.#flags = flags;
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
    if (text.startsWith("{")) return repeat(part, Number(least), comma === "" ? Number(least) : numberOf(most));
    return repeat(part, text.startsWith("+") ? 1 : 0, text.startsWith("?") ? 1 : undefined);
  }

  #group(depth: number): Pattern {
    if (this.next === "?" && !this.#take("?:"))
      throw new PatternError("has a group of another kind than (…) and (?:…)");
    const pattern = this.choice(depth + 1);
    if (!this.#take(")")) throw new PatternError('has an unmatched "("');
    return pattern;
  }

  #atom(): Pattern {
    const [text = ""] = ATOM.exec(this.#rest) ?? [];
    if (text === "" || /^[*+?[{]/.test(text.length === 1 ? text : "")) {
      throw new PatternError(`has "${this.next}" where it means nothing`);
    }
    this.#rest = this.#rest.slice(text.length);
    const holds = Object.hasOwn(POSITIONS, text) ? POSITIONS[text] : undefined;
    return holds === undefined ? this.#character(text) : { kind: "position", holds };
  }

  #character(text: string): Pattern {
    try {
      const expression = new RegExp(`^${inJavaScript(text)}$`, this.#flags);
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

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined || digits === "" ? undefined : Number(digits);
}

function repeat(part: Pattern, least: number, most: number | undefined): Pattern {
  if (most !== undefined && most < least) throw new PatternError("has a repetition whose end is before its beginning");
  return { kind: "repeat", part, least, most };
}
