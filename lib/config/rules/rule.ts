import { isLoopbackRedirect } from "../../protocol/oauth/redirect-url.ts";
import { type Path, pathText } from "../path.ts";

export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** The key itself is wrong, not its value. */
  readonly atKey?: boolean;
  /** Of a warning: what it is about does not work at all, and other parts do. */
  readonly isUnserved?: true;
}

/**
 * A rule about several keys. It sees the plain document, valid or not: undefined is absent, null is not known yet. What
 * the schema already refuses, a rule ignores.
 */
export type Rule = (context: RuleContext) => void;

export interface RuleContext {
  readonly at: (...path: Path) => unknown;
  readonly report: (path: Path, message: string) => void;
  /** A value as a message may name it: what a placeholder brought and what is secret is described. */
  readonly shown: (...path: Path) => string;
}

/** The length of a list; 0 for anything else. */
export function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** The indexes of a list; none for anything else. */
export function indexesOf(value: unknown): readonly number[] {
  return Array.isArray(value) ? [...value.keys()] : [];
}

/** Reports a mapping that holds none, or more than one, of keys that exclude each other. */
export function reportUnlessOne({ at, report }: RuleContext, path: Path, keys: readonly string[]): void {
  if (typeof at(...path) !== "object" || at(...path) === null) return;
  const written = keys.filter((key) => at(...path, key) !== undefined);
  const names = `${keys.slice(0, -1).join(", ")} ${written.length === 0 ? "and" : "or"} ${keys.at(-1)}`;
  if (written.length === 0) report(path, `found none of ${names}; accepted: exactly one`);
  if (written.length > 1) report(path, `found ${written.join(" and ")}; accepted: exactly one of ${names}`);
}

/** Reports an address to which anybody on the way could read and write. */
export function reportPlainHttp({ at, report, shown }: RuleContext, path: Path): void {
  const url = at(...path);
  if (typeof url !== "string" || !URL.canParse(url)) return;
  if (new URL(url).protocol === "https:" || isLoopbackRedirect(url)) return;
  report(path, `found ${shown(...path)}; accepted: an https URL, or http on localhost, 127.0.0.1 or [::1]`);
}

/** Reports every value that stands more than once; `places` are the paths to look at. */
export function reportDuplicates(context: RuleContext, places: readonly Path[], what: string): void {
  const seen = new Map<string, Path>();
  for (const path of places) {
    const value = context.at(...path);
    if (typeof value !== "string") continue;
    const first = seen.get(value);
    if (first === undefined) seen.set(value, path);
    else context.report(path, `found ${what} that stands above already, at ${pathText(first)}; accepted: each once`);
  }
}
