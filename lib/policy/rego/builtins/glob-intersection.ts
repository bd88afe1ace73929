import { spend } from "../budget.ts";
import { builtinError } from "./operands.ts";

/** One place of a glob of `regex.globs_match`: characters, and how often. */
interface Token {
  readonly accepts: Characters;
  readonly many: "" | "*" | "+";
}

/** Undefined: any character. Else those of the ranges. */
type Characters = readonly (readonly [string, string])[] | undefined;

/**
 * Whether a non-empty text could match both globs. They know `.`, `[a-z]`, `*` and `+` behind one of them, and `\` before any other
 * mark (github.com/yashtewari/glob-intersection).
 */
export function globsIntersect(one: string, other: string): boolean {
  const [left, right] = [tokensOf(one), tokensOf(other)];
  const seen = new Set<number>();
  const open: (readonly [number, number])[] = [[0, 0]];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const [i, j] = state;
    const key = i * (right.length + 1) + j;
    if (seen.has(key)) continue;
    seen.add(key);
    spend(2);
    if (i === left.length && j === right.length) return true;
    const [a, b] = [left[i], right[j]];
    // What may be there no more is left behind.
    if (a?.many === "*") open.push([i + 1, j]);
    if (b?.many === "*") open.push([i, j + 1]);
    if (a === undefined || b === undefined || !overlap(a.accepts, b.accepts)) continue;
    const after = (index: number, { many }: Token) => (many === "" ? [index + 1] : [index, index + 1]);
    for (const nextLeft of after(i, a)) for (const nextRight of after(j, b)) open.push([nextLeft, nextRight]);
  }
  return false;
}

function tokensOf(glob: string): readonly Token[] {
  const tokens: Token[] = [];
  const characters = [...glob];
  for (let index = 0; index < characters.length; ) {
    const [accepts, end] = tokenAt(characters, index);
    const many = characters[end] === "*" || characters[end] === "+" ? (characters[end] as "*" | "+") : "";
    tokens.push({ accepts, many });
    index = end + many.length;
  }
  return tokens;
}

function tokenAt(characters: readonly string[], index: number): readonly [Characters, number] {
  const character = characters[index] as string;
  if (character === ".") return [undefined, index + 1];
  if (character === "*" || character === "+" || character === "]")
    throw builtinError(`the glob has "${character}" where it means nothing`);
  if (character === "[") return classAt(characters, index + 1);
  if (character !== "\\") return [[[character, character]], index + 1];
  const escaped = characters[index + 1];
  if (escaped === undefined) throw builtinError("the glob ends with an escape");
  return [[[escaped, escaped]], index + 2];
}

function classAt(characters: readonly string[], from: number): readonly [Characters, number] {
  const ranges: (readonly [string, string])[] = [];
  let index = from;
  const next = (): string => {
    if (characters[index] === "\\") index += 1;
    const character = characters[index++];
    if (character === undefined) throw builtinError('the glob has an unmatched "["');
    return character;
  };
  while (characters[index] !== "]") {
    const low = next();
    if (characters[index] !== "-") ranges.push([low, low]);
    else {
      index += 1;
      ranges.push([low, next()]);
    }
  }
  return [ranges, index + 1];
}

function overlap(one: Characters, other: Characters): boolean {
  if (one === undefined || other === undefined) return true;
  return one.some(([low, high]) => other.some(([from, to]) => low <= to && from <= high));
}
