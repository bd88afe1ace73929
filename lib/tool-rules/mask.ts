import { patternFinder } from "./pattern-finder.ts";
import { isWrittenNumber, type MaskRule, WithheldError } from "./result-rule.ts";

/** Masks of a tool, ready for its results. */
export interface Masks {
  /** The text with nothing in it that a pattern matches. */
  readonly text: (text: string, effort: Effort) => string;
  /** A JSON value likewise; numbers that a pattern matches become texts. Members of names that it matches are left out. */
  readonly value: (value: unknown, names: KnownNames, effort: Effort) => unknown;
  /** Whether numbers can be masked. */
  readonly seeNumbers: boolean;
}

/** Names that agents know anyway, of the schema. */
export type KnownNames = ReadonlySet<string>;

/** What is left of the work on one result. */
export interface Effort {
  left: number;
}

/** Instructions of patterns that one result may take: some tenths of a second. */
const MOST = 10_000_000;

export function newEffort(): Effort {
  return { left: MOST };
}

/** Of what stands in the text that a match was replaced in, another may come. */
const ROUNDS = 3;

/** @throws PatternError */
export function createMasks(rules: readonly MaskRule[]): Masks {
  const all = rules.map(({ match, with: instead }) => ({ finder: patternFinder(match), instead }));

  function text(given: string, effort: Effort): string {
    const masked = plain(given, effort);
    const read = withoutEscapes(masked);
    if (read === masked) return masked;
    // A secret may be spelt with escapes where JSON stands in a text.
    const shown = plain(read, effort);
    return shown === read ? masked : shown;
  }

  function plain(given: string, effort: Effort): string {
    const spend = (instructions: number): void => {
      effort.left -= instructions;
      if (effort.left < 0) throw new WithheldError("too_costly");
    };
    // Reading costs as well.
    spend(1 + (given.length >> 3));
    let masked = given;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = masked;
      for (const { finder, instead } of all) masked = replaced(masked, finder.find, instead, spend);
      if (masked === before) return masked;
    }
    const left = all.find(({ finder }) => finder.find(masked, 0, spend) !== undefined);
    return left === undefined ? masked : left.instead;
  }

  /** What a number says, in every spelling that a reader would take for it. */
  const number = (value: unknown, effort: Effort): unknown => {
    for (const spelling of spellings(value)) {
      const masked = text(spelling, effort);
      if (masked !== spelling) return masked;
    }
    return value;
  };

  const value = (one: unknown, names: KnownNames, effort: Effort): unknown => {
    if (typeof one === "string") return text(one, effort);
    if (typeof one === "number" || isWrittenNumber(one)) return seeNumbers ? number(one, effort) : one;
    if (Array.isArray(one)) return one.map((item) => value(item, names, effort));
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).flatMap(([name, member]) =>
        names.has(name) || text(name, effort) === name ? [[name, value(member, names, effort)]] : [],
      ),
    );
  };

  const seeNumbers = all.some(({ finder }) => finder.mayMatchNumber());
  return { text, value, seeNumbers };
}

function withoutEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|\/)/g, (_, code: string | undefined) =>
    code === undefined ? "/" : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function replaced(
  text: string,
  find: ReturnType<typeof patternFinder>["find"],
  instead: string,
  spend: (instructions: number) => void,
): string {
  const parts: string[] = [];
  let from = 0;
  for (let span = find(text, 0, spend); span !== undefined; span = find(text, span.end, spend)) {
    parts.push(text.slice(from, span.start), instead);
    from = span.end;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(from);
}

/** Digits of a number that is written out. */
const LONGEST = 400;

function spellings(value: unknown): readonly string[] {
  const written = JSON.stringify(value).toLowerCase();
  const [, sign = "", whole = "", fraction = "", power] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(written) ?? [];
  if (power === undefined || Math.abs(Number(power)) > LONGEST) return [written];
  const [digits, point] = [whole + fraction, whole.length + Number(power)];
  const plain =
    point <= 0
      ? `0.${"0".repeat(-point)}${digits}`
      : `${digits.slice(0, point).padEnd(point, "0")}${point < digits.length ? `.${digits.slice(point)}` : ""}`;
  return [written, sign + plain];
}

/** What is wrong with a mask; undefined: nothing. Its patterns are valid. */
export function maskProblem(rule: MaskRule, all: readonly MaskRule[]): MaskProblem | undefined {
  if (patternFinder(rule.match).matchesNothing)
    return {
      key: "match",
      message: "the pattern matches the empty text; accepted: one that takes a character at least",
    };
  const again = all.find(({ match }) => patternFinder(match).find(rule.with, 0, () => undefined) !== undefined);
  if (again === undefined) return undefined;
  const message = `the text is matched by ${again.match} itself; accepted: one that no pattern of the entry matches`;
  return { key: "with", message };
}

interface MaskProblem {
  readonly key: keyof MaskRule;
  readonly message: string;
}
