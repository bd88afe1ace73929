/**
 * Whether a search for a regular expression may take time exponential in the text: something repeats that holds a repetition or
 * alternatives itself, so that there can be many ways to read the same text. Some of which this is said are harmless.
 */
export function isSlowPattern(pattern: string): boolean {
  /** Of the groups that are open, the outermost first: whether there is such a thing in them. */
  const holds = [false];
  let isAfterOne = false;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const inner = token === ")" ? holds.pop() === true : false;
    if (token.startsWith("(")) holds.push(false);
    else if (isRepetition(token) && isAfterOne) return true;
    else if (inner || token === "|" || isRepetition(token)) holds[holds.length - 1] = true;
    isAfterOne = inner;
  }
  return false;
}

/**
 * Characters of a text that a search for a regular expression that is not slow goes through in some 10⁸ steps at most. Each
 * repetition may end at every character, and a search that is not anchored may begin at each.
 */
export function safeLength(pattern: string): number {
  const repetitions = [...pattern.matchAll(TOKEN)].filter(([token]) => isRepetition(token)).length;
  const degree = repetitions + (pattern.startsWith("^") ? 0 : 1);
  return SAFE_LENGTHS[degree] ?? LEAST_SAFE_LENGTH;
}

/** By the number of positions that are free: the n-th root of 10⁸ n! */
const SAFE_LENGTHS = [10_000, 10_000, 10_000, 800, 220, 100];
const LEAST_SAFE_LENGTH = 60;

/** An escape, a class, the beginning or end of a group, a quantifier, or one character (ECMA-262, Patterns). */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\{\d+(?:,\d*)?\}|./gsu;

/** How often a part may repeat at most so that the ways to read it stay few. */
const FEW = 10;

function isRepetition(token: string): boolean {
  if (token === "*" || token === "+") return true;
  const [, least = "0", range, most = ""] = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(token) ?? [];
  if (range === undefined) return Number(least) > FEW;
  return most === "" || Number(most) > FEW;
}
