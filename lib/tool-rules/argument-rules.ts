import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { nearest } from "../kernel/suggestions.ts";
import type { JsonSchema } from "../openapi/catalog.ts";
import { place } from "../openapi/problem-sentences.ts";
import type { SchemaCheck } from "../openapi/validation.ts";
import { compilePattern } from "../policy/cel/pattern-program.ts";
import { type ArgumentRule, type FixedArgument, type FixedPart, isKept } from "./argument-rule.ts";
import { folded, LONGEST_MATCHED, type RuleProblem, shownSchema } from "./shown-schema.ts";

/** Rules of a tool, ready for its calls. */
export interface ArgumentRules {
  /** Absent: nobody knows the tool's own. */
  readonly schema?: JsonSchema;
  readonly checked?: JsonSchema;
  /** The server's name of an argument that agents may send. */
  readonly serverName: (shown: string) => string | undefined;
  /** What agents call an argument; undefined: they may not send it. */
  readonly shownName: (argument: string) => string | undefined;
  /** Absent: any but those that rules keep. */
  readonly accepted?: readonly string[];
  readonly limited: readonly Limited[];
  readonly fixed: readonly { readonly argument: string; readonly fix: FixedArgument }[];
}

/** An argument with a limit to its values. */
interface Limited {
  readonly shown: string;
  readonly allow?: readonly unknown[];
  readonly match?: { readonly source: string; readonly matches: (text: string) => boolean };
}

/** What rules do not fit: the tool is not there for anybody. */
export interface Withheld {
  readonly withheld: readonly RuleProblem[];
}

/**
 * Makes rules ready for a tool.
 *
 * @param schema of its arguments; undefined: nobody knows it
 */
export function prepareRules(rules: readonly ArgumentRule[], schema: JsonSchema | undefined): ArgumentRules | Withheld {
  const shown = schema === undefined ? undefined : shownSchema(schema, rules);
  if (shown !== undefined && "problems" in shown) return { withheld: shown.problems };
  const fixed = rules.flatMap(({ argument, fix }) => (fix === undefined ? [] : [{ argument, fix }]));
  const limited = rules.flatMap((rule) => limitedBy(rule));
  if (shown === undefined) return { ...openNames(rules), fixed, limited };
  const { names, schema: seen, checked } = shown;
  const byArgument = new Map([...names].map(([name, argument]) => [argument, name]));
  return {
    ...{ schema: seen, checked, fixed, limited },
    accepted: [...names.keys()],
    serverName: (name) => names.get(name),
    shownName: (argument) => byArgument.get(argument),
  };
}

function limitedBy({ argument, name, allow, match }: ArgumentRule): readonly Limited[] {
  if (allow === undefined && match === undefined) return [];
  const matching = match !== undefined && { match: { source: match, matches: compilePattern(match).matches } };
  return [{ shown: name ?? argument, ...(allow !== undefined && { allow }), ...matching }];
}

/** Every name but those that rules keep, however they are written. */
function openNames(rules: readonly ArgumentRule[]): Pick<ArgumentRules, "serverName" | "shownName"> {
  const kept = new Map(rules.filter(isKept).map((rule) => [rule.argument, rule]));
  const shown = new Map(rules.filter((rule) => !isKept(rule)).map(({ argument, name = argument }) => [name, argument]));
  const taken = new Set(rules.flatMap(({ argument, name = argument }) => [folded(argument), folded(name)]));
  const renamed = new Map([...shown].map(([name, argument]) => [argument, name]));
  return {
    serverName: (name) => shown.get(name) ?? (taken.has(folded(name)) ? undefined : name),
    shownName: (argument) => (kept.has(argument) ? undefined : (renamed.get(argument) ?? argument)),
  };
}

/** The arguments of a call, as they are read and as they go out (exact numbers are objects there). */
export interface GivenArguments {
  readonly read: unknown;
  readonly written: unknown;
}

/** Arguments by the server's names, or why the call is not made. */
export type RuledArguments =
  | ({ readonly outcome: "applied" } & GivenArguments)
  | { readonly outcome: "problems"; readonly problems: readonly string[] }
  | { readonly outcome: "missing"; readonly argument: string; readonly claim: string };

export interface RuleSources {
  /** Claims of the person; absent: there is none. */
  readonly user?: object | undefined;
  readonly clientID?: string | undefined;
  readonly requestId: string;
}

/**
 * Applies rules to the arguments of a call.
 *
 * @param check holds them against the whole schema; absent: the server does
 */
export function applyRules(
  rules: ArgumentRules,
  { read = {}, written = {} }: GivenArguments,
  sources: RuleSources,
  check?: SchemaCheck,
): RuledArguments {
  if (!isJsonObject(read) || !isJsonObject(written)) return problemsOf(["are not an object"]);
  const problems = [...refusedNames(rules, Object.keys(read)), ...refusedValues(rules, read, written)];
  if (problems.length > 0) return problemsOf(problems.slice(0, MAX_PROBLEMS));
  const misfits = check === undefined || rules.checked === undefined ? [] : check(rules.checked, read);
  if (misfits.length > 0) return problemsOf(misfits);
  const fixed: [string, unknown][] = [];
  for (const { argument, fix } of rules.fixed) {
    const value = fixedValue(fix, sources);
    if ("missing" in value) return { outcome: "missing", argument, claim: value.missing };
    fixed.push([argument, value.value]);
  }
  // Not by assignment: `__proto__` is a name like any other.
  const ruled = (given: JsonObject) =>
    Object.fromEntries([
      ...Object.entries(given).map(([name, value]) => [rules.serverName(name) ?? name, value] as const),
      ...fixed,
    ]);
  return { outcome: "applied", read: ruled(read), written: ruled(written) };
}

const MAX_PROBLEMS = 5;
/** Characters of a list of what is accepted. */
const MAX_ACCEPTED = 300;

function problemsOf(problems: readonly string[]): RuledArguments {
  return { outcome: "problems", problems };
}

/** In the words of other problems with arguments. */
function refusedNames({ serverName, accepted }: ArgumentRules, names: readonly string[]): readonly string[] {
  const refused = names.filter((name) => serverName(name) === undefined).slice(0, MAX_PROBLEMS);
  return refused.map((name, index) => {
    const text = `${place([name.toWellFormed()])}is not accepted`;
    if (accepted === undefined) return text;
    const meant = nearest(name, accepted);
    if (meant !== undefined) return `${text} (did you mean ${meant}?)`;
    return index > 0
      ? text
      : `${text} (accepted: ${accepted.join(", ").slice(0, MAX_ACCEPTED).toWellFormed() || "none"})`;
  });
}

function refusedValues({ limited }: ArgumentRules, read: JsonObject, written: JsonObject): readonly string[] {
  return limited.flatMap(({ shown, allow, match }) => {
    if (!Object.hasOwn(read, shown)) return [];
    const value = read[shown];
    const where = place([shown]);
    // The server would get another number than the one that is compared.
    if (JSON.stringify(value) !== JSON.stringify(written[shown])) return [`${where}is a number with too many digits`];
    if (allow !== undefined && !allow.some((one) => canonicalJson(one) === canonicalJson(value)))
      return [`${where}is not one of ${JSON.stringify(allow).slice(1, -1).slice(0, MAX_ACCEPTED).toWellFormed()}`];
    if (match !== undefined && !(isShort(value) && match.matches(value)))
      return [`${where}is not a text that matches ${match.source}`];
    return [];
  });
}

/** A character has up to two units. */
function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= 2 * LONGEST_MATCHED;
}

function fixedValue(
  fix: FixedArgument,
  sources: RuleSources,
): { readonly value: unknown } | { readonly missing: string } {
  if ("value" in fix) return { value: fix.value };
  const texts: string[] = [];
  for (const part of fix.parts) {
    const text = partText(part, sources);
    if (text === undefined) return { missing: "user" in part ? `user.${part.user}` : "agent.clientID" };
    texts.push(text);
  }
  return { value: texts.join("") };
}

/** Undefined also for a claim that is a list or an object, or empty: half a name could be taken for somebody. */
function partText(part: FixedPart, { user, clientID, requestId }: RuleSources): string | undefined {
  if ("text" in part) return part.text;
  if ("request" in part) return requestId;
  if ("agent" in part) return clientID;
  if (user === undefined || !Object.hasOwn(user, part.user)) return undefined;
  const claim = (user as JsonObject)[part.user];
  if (typeof claim === "number" || typeof claim === "boolean") return String(claim);
  return typeof claim === "string" && claim !== "" ? claim : undefined;
}
