import { compilePattern, type PatternProgram } from "../policy/cel/pattern-program.ts";
import { PatternError } from "../policy/cel/pattern-syntax.ts";
import { foldedPath, isFolded, readingsOf } from "../protocol/http/path-readings.ts";
import { canonicalPath, faultSentence } from "../protocol/http/request-target.ts";
import { createPathTree, type PathTree } from "./path-tree.ts";

/** Which paths a policy is about: one of them, all below one, or those that a pattern matches. */
export type Location =
  | { readonly kind: "exact"; readonly path: string }
  | { readonly kind: "prefix"; readonly path: string }
  | { readonly kind: "pattern"; readonly source: string };

/** What a path has as it is: an escape of it in an expression would miss the path that upstreams take for the same. */
const NEEDLESS_ESCAPE = /%(?:2[14-9A-F]|3[\dABDF]|40|[46][1-9A-F]|[57][\dA]|5F|7E)/i;

/**
 * Reads `= /exact`, `~ regular expression` (the subset of RE2 that CEL's `matches` has) or `/prefix`.
 *
 * @returns a problem as a sentence for people when it is none of them
 */
export function parseLocation(text: string): Location | { readonly problem: string } {
  const [, operator = "", rest = ""] = /^(\^~|~\*|[=~])?\s*(.*)$/s.exec(text) ?? [];
  switch (operator) {
    case "=":
      return parsePath("exact", rest);
    case "":
      return parsePath("prefix", rest);
    case "~":
      return parseExpression(rest);
    default:
      return { problem: `${operator} is not known; accepted: = /path, ~ expression, or /path` };
  }
}

function parsePath(kind: "exact" | "prefix", text: string): Location | { readonly problem: string } {
  const path = canonicalPath(text);
  if (typeof path !== "string") return { problem: faultSentence(path.fault) };
  return { kind, path: kind === "prefix" && path !== "/" ? path.replace(/\/$/, "") : path };
}

function parseExpression(source: string): Location | { readonly problem: string } {
  const problem = expressionProblem(source);
  return problem === undefined ? { kind: "pattern", source } : { problem };
}

function expressionProblem(source: string): string | undefined {
  if (source === "") return "The expression is empty.";
  if (!/^[\x20-\x7e]*$/.test(source)) return "The expression has a character that paths have percent-encoded only.";
  if (source.includes("\\?")) return "The expression has a question mark, but is compared with the path alone.";
  const [found] = NEEDLESS_ESCAPE.exec(source) ?? [];
  if (found !== undefined) return `The expression has ${found}, which paths have as a character or not at all.`;
  try {
    compilePattern(source);
    compilePattern(insensitive(source));
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return `The expression ${error.message}.`;
    throw error;
  }
}

function insensitive(source: string): string {
  return source.startsWith("(?i)") ? source : `(?i)${source}`;
}

/** The policy of a path. */
export interface Located {
  /** Among the policies. */
  readonly index: number;
  /** Some upstream could take the path for one that another policy protects, or that none is about. */
  readonly isAmbiguous: boolean;
}

interface LocatedPolicy {
  readonly location: Location;
  /** In upper case; absent: every method. `HEAD` counts as `GET`. */
  readonly methods?: readonly string[];
  /** Anybody may: nothing is lost when a path is under it. */
  readonly isOpen: boolean;
}

/**
 * Finds policies in the order of nginx: an exact path, then the first expression, then the longest prefix. Of two equal
 * locations the first counts.
 *
 * @returns of a canonical path and a method, undefined when no policy is about them
 */
export function createLocations(
  policies: readonly LocatedPolicy[],
): (path: string, method: string) => Located | undefined {
  const named = new Set(policies.flatMap(({ methods = [] }) => methods));
  const tableOf = (method?: string) => createTable(policies, method);
  const tables = new Map([...named].map((method) => [method, tableOf(method)]));
  const others = tableOf();
  return (path, method) => {
    const table = tables.get(method === "HEAD" ? "GET" : method) ?? others;
    const index = find(table, path);
    return index === undefined ? undefined : { index, isAmbiguous: isAmbiguous(table, path, index) };
  };
}

interface Expression {
  readonly index: number;
  readonly program: PatternProgram;
  readonly insensitive: PatternProgram;
  /** Means the same in lower case, as far as one can easily tell. */
  readonly isLowerCase: boolean;
  /** May match a slash at the end, as far as one can easily tell. */
  readonly takesSlash: boolean;
}

/** The policies for one method. Folded are those by which upstreams could find that tell fewer paths apart. */
interface Table {
  readonly exact: ReadonlyMap<string, number>;
  readonly expressions: readonly Expression[];
  readonly prefixes: PathTree<number>;
  readonly foldedExact: ReadonlyMap<string, readonly number[]>;
  readonly foldedPrefixes: PathTree<number[]>;
  /** All its paths are their own folded forms. */
  readonly isFolded: boolean;
  /** Nothing closed could be found for a path that is its own folded form and has no other reading. */
  readonly isPlain: boolean;
  /** Policies that are not open. */
  readonly closed: ReadonlySet<number>;
}

function createTable(policies: readonly LocatedPolicy[], method: string | undefined): Table {
  const exact = new Map<string, number>();
  const foldedExact = new Map<string, number[]>();
  const prefixes = createPathTree<number>();
  const foldedPrefixes = createPathTree<number[]>();
  const expressions: Expression[] = [];
  const closed = new Set<number>();
  let allFolded = true;
  for (const [index, { location, methods, isOpen }] of policies.entries()) {
    if (methods !== undefined && (method === undefined || !methods.includes(method))) continue;
    if (location.kind === "pattern") expressions.push(compileExpression(location.source, index));
    else {
      const { kind, path } = location;
      const isFirst = kind === "exact" ? !exact.has(path) : prefixes.put(path, index) === index;
      if (!isFirst) continue;
      allFolded &&= isFolded(path);
      const folded = foldedPath(path);
      if (kind === "prefix") foldedPrefixes.put(folded, []).push(index);
      else {
        exact.set(path, index);
        foldedExact.set(folded, [...(foldedExact.get(folded) ?? []), index]);
      }
    }
    if (!isOpen) closed.add(index);
  }
  const arePlain = expressions.every((one) => !closed.has(one.index) || (one.isLowerCase && !one.takesSlash));
  const isPlain = allFolded && arePlain;
  return { exact, expressions, prefixes, foldedExact, foldedPrefixes, isFolded: allFolded, isPlain, closed };
}

function compileExpression(source: string, index: number): Expression {
  // Escapes of classes and of punctuation, none of which has a slash or a letter.
  const plain = source.replaceAll(/\\[dwbBAz.^$|()[\]{}*+?-]/g, "_");
  return {
    index,
    program: compilePattern(source),
    insensitive: compilePattern(insensitive(source)),
    isLowerCase: !/[A-Z\\]|[^a-z\d[]-[^\]]|[a-z]-[^a-z\]]|\d-[^\d\]]/.test(plain),
    takesSlash: /[/.\\[]/.test(plain),
  };
}

function find({ exact, expressions, prefixes }: Table, path: string): number | undefined {
  return (
    exact.get(path) ?? expressions.find(({ program }) => program.matches(path))?.index ?? prefixes.downTo(path).at(-1)
  );
}

function isAmbiguous(table: Table, path: string, chosen: number): boolean {
  const isHarmless = (index: number | undefined) =>
    index !== undefined && (index === chosen || !table.closed.has(index));
  // Whatever it is read as, it falls under this policy or an open one.
  const areOthersOpen = table.closed.size === (table.closed.has(chosen) ? 1 : 0);
  if (areOthersOpen && table.prefixes.downTo("/").length > 0) return false;
  // `isFolded` leaves no path that has another reading.
  if (table.isPlain && isFolded(path)) return false;
  const readings = readingsOf(path);
  return "fault" in readings || ![path, ...readings].every((reading) => isAlwaysHarmless(table, reading, isHarmless));
}

/** Whether all policies are harmless that an upstream could mean which tells cases, slashes and spellings apart or does not. */
function isAlwaysHarmless(table: Table, path: string, isHarmless: (index: number | undefined) => boolean): boolean {
  const key = isFolded(path) && table.isFolded ? undefined : foldedPath(path);
  if (key !== undefined && !(table.foldedExact.get(key) ?? []).every(isHarmless)) return false;
  const exact = table.exact.get(path);
  if (exact !== undefined) return isHarmless(exact);
  for (const expression of table.expressions) {
    if (expression.program.matches(path)) return isHarmless(expression.index);
    if (!isHarmless(expression.index) && matchesFolded(expression, path)) return false;
  }
  const prefix = table.prefixes.downTo(path).at(-1);
  if (!isHarmless(prefix)) return false;
  return key === undefined || isDeeperHarmless(table.foldedPrefixes.downTo(key), prefix, isHarmless);
}

/** From the longest prefix up to the one that was found: what lies above it is found by nobody. */
function isDeeperHarmless(
  found: readonly (readonly number[])[],
  prefix: number | undefined,
  isHarmless: (index: number | undefined) => boolean,
): boolean {
  for (const indexes of found.toReversed()) {
    if (!indexes.every(isHarmless)) return false;
    if (prefix !== undefined && indexes.includes(prefix)) return true;
  }
  return true;
}

/** Whether an expression that does not match a path does so in another case, or with or without the slash at its end. */
function matchesFolded(expression: Expression, path: string): boolean {
  const isCaseless = expression.isLowerCase && !/[A-Z]/.test(path);
  const { matches } = isCaseless ? expression.program : expression.insensitive;
  if (!isCaseless && matches(path)) return true;
  if (path.endsWith("/")) return path !== "/" && matches(path.slice(0, -1));
  return expression.takesSlash && matches(`${path}/`);
}
