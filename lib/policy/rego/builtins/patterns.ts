import { compilePattern, createSearch, type PatternProgram, programOf } from "../../cel/pattern-program.ts";
import { type Pattern, PatternError } from "../../cel/pattern-syntax.ts";
import { spend, spendText } from "../budget.ts";
import type { Surroundings } from "../context.ts";
import { compileRegex, type Match, type Regex } from "../regex.ts";
import { isArray, type Value } from "../value.ts";
import { globsIntersect } from "./glob-intersection.ts";
import { type Builtins, builtinError, integerAt, operandError, stringAt, typeError } from "./operands.ts";

/** OPA, "Regex" and "Glob"; both take time linear in the text. */
export const PATTERNS: Builtins = {
  "regex.match": (values, surroundings) => matches(stringAt(values, 0), stringAt(values, 1), surroundings),
  "regex.is_valid": ([source], surroundings) => {
    if (typeof source !== "string") return false;
    try {
      programFor(source, surroundings);
      return true;
    } catch (error) {
      if (isOfPattern(error)) return false;
      throw error;
    }
  },
  "regex.split": (values, surroundings) => {
    const [regex, text] = [regexFor(stringAt(values, 0), surroundings), stringAt(values, 1)];
    // As Go's `Regexp.Split`.
    if (text === "") return values[0] === "" ? [] : [""];
    const parts: string[] = [];
    let [begin, last] = [0, 0];
    for (const [start = 0, end = 0] of regex.findAll(text, Number.POSITIVE_INFINITY)) {
      last = start;
      if (end !== 0) parts.push(text.slice(begin, start));
      begin = end;
    }
    if (last !== text.length) parts.push(text.slice(begin));
    spend(parts.length);
    return parts;
  },
  "regex.find_n": (values, surroundings) => {
    const [regex, text] = [regexFor(stringAt(values, 0), surroundings), stringAt(values, 1)];
    return regex.findAll(text, most(values)).map((match) => group(text, match, 0));
  },
  "regex.find_all_string_submatch_n": (values, surroundings) => {
    const [regex, text] = [regexFor(stringAt(values, 0), surroundings), stringAt(values, 1)];
    return regex.findAll(text, most(values)).map((match) => regex.names.map((_, index) => group(text, match, index)));
  },
  "regex.replace": (values, surroundings) => {
    const [text, source, template] = [stringAt(values, 0), stringAt(values, 1), stringAt(values, 2)];
    const regex = regexFor(source, surroundings);
    let [result, end] = ["", 0];
    for (const match of regex.findAll(text, Number.POSITIVE_INFINITY)) {
      const by = expanded(template, text, match, regex.names);
      spendText(by.length + 32);
      result += text.slice(end, match[0]) + by;
      end = match[1] as number;
    }
    return result + text.slice(end);
  },
  "regex.template_match": (values, surroundings) => {
    const [template, text, start, end] = [0, 1, 2, 3].map((position) => stringAt(values, position)) as [
      string,
      string,
      string,
      string,
    ];
    if (start.length !== 1 || end.length !== 1) throw builtinError("a delimiter has to be exactly one character long");
    return matches(templatePattern(template, start, end), text, surroundings);
  },
  "regex.globs_match": (values) => globsIntersect(stringAt(values, 0), stringAt(values, 1)),
  "glob.match": (values, surroundings) => {
    const [glob, text] = [stringAt(values, 0), stringAt(values, 2)];
    const delimiters = delimitersOf(values);
    const program = remembered(`glob\u0000${glob}\u0000${delimiters}`, surroundings, () =>
      compileGlob(glob, delimiters),
    );
    spend(1 + (text.length * program.size) / CHARACTERS_A_STEP);
    return program.matches(text);
  },
  "glob.quote_meta": (values) => stringAt(values, 0).replace(/[*?\\[\]{}]/g, "\\$&"),
};

/** Instructions of a pattern times characters that a step pays for; most characters cost one look into a table. */
const CHARACTERS_A_STEP = 64;

function matches(source: string, text: string, surroundings: Surroundings): boolean {
  const program = programFor(source, surroundings);
  spend(1 + (text.length * program.size) / CHARACTERS_A_STEP);
  return program.matches(text);
}

function programFor(source: string, surroundings: Surroundings): PatternProgram {
  return remembered(`match\u0000${source}`, surroundings, () => compilePattern(source, "re2"));
}

function regexFor(source: string, surroundings: Surroundings): Regex {
  return remembered(`find\u0000${source}`, surroundings, () => compileRegex(source));
}

/** Preparing costs more than using. */
function remembered<T>(key: string, { remembered: known }: Surroundings, prepare: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found as T;
  spend(50 + key.length * 4);
  try {
    const made = prepare();
    known.put(key, made);
    return made;
  } catch (error) {
    if (error instanceof PatternError) throw builtinError(`the pattern ${error.message}`);
    throw error;
  }
}

function isOfPattern(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === "eval_builtin_error";
}

/** Below 0: all of them. */
function most(values: readonly Value[]): number {
  const count = integerAt(values, 2);
  return count < 0 ? Number.POSITIVE_INFINITY : count;
}

function group(text: string, match: Match, index: number): string {
  const [start, end] = [match[2 * index], match[2 * index + 1]];
  return start === undefined || end === undefined ? "" : text.slice(start, end);
}

/** Go's `Regexp.Expand`: `$1`, `${1}`, `$name`, `${name}`, `$$`. */
function expanded(template: string, text: string, match: Match, names: Regex["names"]): string {
  return template.replace(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole, plain?: string, braced?: string) => {
    const name = plain ?? braced;
    if (name === undefined) return whole === "$$" ? "$" : whole;
    const index = /^\d+$/.test(name) ? Number(name) : names.lastIndexOf(name);
    return index >= 0 && index < names.length ? group(text, match, index) : "";
  });
}

/** What is between delimiters is a pattern, the rest is text. */
function templatePattern(template: string, start: string, end: string): string {
  let [pattern, level, from] = ["^", 0, 0];
  for (let index = 0; index < template.length; index += 1) {
    if (template[index] === start) {
      level += 1;
      if (level > 1) continue;
      pattern += quoteMeta(template.slice(from, index));
      from = index + 1;
    } else if (template[index] === end) {
      level -= 1;
      if (level < 0) break;
      if (level > 0) continue;
      pattern += `(${template.slice(from, index)})`;
      from = index + 1;
    }
  }
  if (level !== 0) throw builtinError("the template has unbalanced delimiters");
  return `${pattern}${quoteMeta(template.slice(from))}$`;
}

function quoteMeta(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

/** Null: nothing stops a `*`. None: `.` does. */
function delimitersOf(values: readonly Value[]): string {
  const given = values[1];
  if (given === null) return "";
  if (!isArray(given)) throw typeError(values, 1, "array", "null");
  const delimiters = given.map((value) => {
    if (typeof value === "string" && [...value].length === 1) return value;
    throw operandError("operand 2 must have single characters only");
  });
  return delimiters.length === 0 ? "." : delimiters.join("");
}

function compileGlob(source: string, delimiters: string): PatternProgram {
  const reader = { rest: [...source] };
  const pattern = globSequence(reader, delimiters, 0);
  if (reader.rest.length > 0) throw new PatternError("has an unmatched bracket");
  const anchored: Pattern = {
    kind: "sequence",
    parts: [
      { kind: "position", holds: (before) => before === undefined },
      pattern,
      { kind: "position", holds: (_, after) => after === undefined },
    ],
  };
  const program = programOf(anchored, false);
  return { size: program.length, matches: createSearch(program) };
}

interface Glob {
  rest: string[];
}

const DEEPEST = 50;

function globSequence(glob: Glob, delimiters: string, depth: number): Pattern {
  if (depth > DEEPEST) throw new PatternError("has alternatives that are nested too deeply");
  const parts: Pattern[] = [];
  for (let next = glob.rest[0]; next !== undefined; next = glob.rest[0]) {
    if (depth > 0 && (next === "," || next === "}")) break;
    glob.rest.shift();
    parts.push(globPart(next, glob, delimiters, depth));
  }
  return { kind: "sequence", parts };
}

function globPart(next: string, glob: Glob, delimiters: string, depth: number): Pattern {
  if (next === "*") {
    const all = glob.rest[0] === "*";
    while (glob.rest[0] === "*") glob.rest.shift();
    const part = one((character) => all || !delimiters.includes(character));
    return { kind: "repeat", part, least: 0, most: undefined, lazy: false };
  }
  if (next === "?") return one((character) => !delimiters.includes(character));
  if (next === "[") return globClass(glob);
  if (next === "{") {
    const parts: Pattern[] = [];
    do parts.push(globSequence(glob, delimiters, depth + 1));
    while (glob.rest[0] === "," && glob.rest.shift() !== undefined);
    if (glob.rest.shift() !== "}") throw new PatternError('has an unmatched "{"');
    return { kind: "choice", parts };
  }
  const character = next === "\\" ? glob.rest.shift() : next;
  if (character === undefined) throw new PatternError("ends with an escape");
  return one((other) => other === character);
}

function globClass(glob: Glob): Pattern {
  const not = glob.rest[0] === "!";
  if (not) glob.rest.shift();
  const characters: string[] = [];
  for (let next = glob.rest.shift(); next !== "]"; next = glob.rest.shift()) {
    const character = next === "\\" ? glob.rest.shift() : next;
    if (character === undefined) throw new PatternError('has an unmatched "["');
    characters.push(character);
  }
  if (characters.length === 0) throw new PatternError("has an empty list");
  const [low = "", dash, high = ""] = characters;
  const isRange = characters.length === 3 && dash === "-";
  const inside = isRange
    ? (character: string) => character >= low && character <= high
    : (character: string) => characters.includes(character);
  return one((character) => inside(character) !== not);
}

function one(isOne: (character: string) => boolean): Pattern {
  return { kind: "character", isOne };
}
