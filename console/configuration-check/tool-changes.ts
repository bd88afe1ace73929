import { type Path, valueAt } from "../../lib/config/path.ts";
import { isToolPattern } from "../../lib/config/schema/apps/names.ts";
import { toolPattern } from "../../lib/config/tool-names.ts";
import type { AppPlace, ToolChange, ToolSettings } from "./protocol.ts";
import { appAt, type Change } from "./yaml-data.ts";

/** Keys of an app that hold entries by a tool's name, where the first that matches decides. */
const SCOPES = ["authorization", "inbound", "tools"] as const;
const TOKENS = ["authorization", "outbound", "tokenExchange", "tools"] as const;
const ACCOUNTS = ["authorization", "outbound", "userToken", "tools"] as const;
/** Keys of an app with entries of several tools. */
const GROUPS = [
  ["authorization", "inbound", "stepUp"],
  ["tools", "rules"],
] as const;

type Entry = Readonly<Record<string, unknown>>;

/** What has to be changed at an app so that its tools become what a form says. */
export function toolChanges(data: unknown, place: AppPlace, changes: readonly ToolChange[]): readonly Change[] {
  const app = appAt(data, place);
  const draft = structuredClone(JSON.parse(JSON.stringify(app))) as Record<string, unknown>;
  for (const change of changes) apply(draft, change);
  const base = ["apps", place.index];
  return PLACES.flatMap((at): readonly Change[] => {
    const [before, after] = [valueAt(app, at), valueAt(draft, at)];
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    if (at.at(-1) === "overrides") return overrideChanges([...base, ...at], before, after);
    if (isListOfSame(before, after))
      return after.flatMap((_, index) => keyChanges([...base, ...at], before, after, index));
    const isEmpty = after === undefined || (Array.isArray(after) && after.length === 0);
    return [{ path: [...base, ...at], value: isEmpty ? undefined : after, keep: base.length }];
  });
}

const PLACES: readonly Path[] = [
  ["openapi", "include"],
  ["openapi", "exclude"],
  ["openapi", "overrides"],
  ["tools", "include"],
  ["tools", "exclude"],
  SCOPES,
  TOKENS,
  ACCOUNTS,
  ...GROUPS,
];

/** As many entries as before, so that it is known which became which. */
function isListOfSame(before: unknown, after: unknown): after is readonly Entry[] {
  const isEntry = (one: unknown) => typeof one === "object" && one !== null && !Array.isArray(one);
  const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.every(isEntry);
  return isList(before) && isList(after) && before.length === after.length;
}

function overrideChanges(base: Path, before: unknown, after: unknown): readonly Change[] {
  const tools = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...tools].flatMap((tool) => keyChanges(base, before, after, tool));
}

/** Key by key, so that comments beside others stay. */
function keyChanges(base: Path, before: unknown, after: unknown, step: string | number): readonly Change[] {
  const keys = new Set([before, after].flatMap((one) => Object.keys(valueAt(one, [step]) ?? {})));
  return [...keys].flatMap((key): Change[] => {
    const [was, is] = [valueAt(before, [step, key]), valueAt(after, [step, key])];
    return isSame(was, is) ? [] : [{ path: [...base, step, key], value: is, keep: 2 }];
  });
}

function apply(app: Record<string, unknown>, { from, to }: ToolChange): void {
  const [was, is] = [nameOf(from), nameOf(to)];
  if (from.isOffered !== to.isOffered) offer(app, to);
  if (!to.isOffered) {
    // What names a tool that is not there is a mistake.
    if (app.type === "mcpBridge") {
      set(app, ["openapi", "overrides", from.original], undefined);
      for (const place of [SCOPES, TOKENS, ACCOUNTS]) setEntry(app, place, was, undefined);
    }
    return;
  }
  for (const key of ["name", "description"] as const) {
    if (from[key] !== to[key]) set(app, ["openapi", "overrides", from.original, key], to[key]);
  }
  if (was !== is) rename(app, was, is);
  if (!isSame(from.scopes, to.scopes)) setScopes(app, is, to.scopes);
  if (!isSame([from.tokenLifetime, from.tokenScopes], [to.tokenLifetime, to.tokenScopes])) {
    const { tokenLifetime: ttl, tokenScopes } = to;
    const isEmpty = ttl === undefined && tokenScopes === undefined;
    const entry = {
      // What an entry for several tools says of it stays, where the form says nothing else.
      ...firstMeeting(entriesAt(app, TOKENS), is),
      name: is,
      ...(ttl !== undefined && { ttl }),
      ...(tokenScopes !== undefined && { scopes: tokenScopes.map((name) => ({ name })) }),
    };
    setEntry(app, TOKENS, is, isEmpty ? undefined : entry);
  }
}

/** The name that policies know it by. */
function nameOf({ name, original }: ToolSettings): string {
  return name ?? original;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function meets(pattern: unknown, name: string): boolean {
  return typeof pattern === "string" && isToolPattern(pattern) && toolPattern(pattern)(name);
}

function offer(app: Record<string, unknown>, { isOffered, pattern, aliases }: ToolSettings): void {
  const at = app.type === "mcpBridge" ? "openapi" : "tools";
  const list = (key: string): readonly unknown[] => {
    const value = valueAt(app, [at, key]);
    return Array.isArray(value) ? value : [];
  };
  const named = (value: unknown) => typeof value === "string" && [pattern, ...aliases].includes(value);
  const matches = (value: unknown) => [pattern, ...aliases].some((one) => meets(value, one));
  if (isOffered) {
    set(
      app,
      [at, "exclude"],
      list("exclude").filter((one) => !named(one)),
    );
    const include = list("include");
    if (include.length > 0 && !include.some(matches)) set(app, [at, "include"], [...include, pattern]);
    return;
  }
  const without = list("include").filter((one) => one !== pattern);
  const isOnlyNamed = without.length > 0 && !without.some(matches);
  if (isOnlyNamed) set(app, [at, "include"], without);
  else set(app, [at, "exclude"], [...list("exclude"), pattern]);
}

/** What a tool without an entry gets while others have one: nothing is asked of it. */
const EVERY_OTHER = "/.*/";

/**
 * As soon as one tool has an entry, tools without one cannot be called by anybody: the first entry brings one for all others, and the last one takes
 * it along.
 */
function setScopes(app: Record<string, unknown>, name: string, scopes: readonly string[] | undefined): void {
  const entries = entriesAt(app, SCOPES);
  const isFirst = entries.length === 0 && scopes !== undefined;
  if (isFirst) set(app, SCOPES, [{ name: EVERY_OTHER, scopes: [] }]);
  setEntry(app, SCOPES, name, scopes === undefined ? undefined : { name, scopes });
  const left = entriesAt(app, SCOPES);
  const isAlone = left.length === 1 && left[0]?.name === EVERY_OTHER && isSame(left[0].scopes, []);
  if (isAlone) set(app, SCOPES, undefined);
}

/** In the place of the entry with this very name, else in front of the first that matches it. */
function setEntry(app: Record<string, unknown>, place: Path, name: string, entry: Entry | undefined): void {
  const entries = entriesAt(app, place);
  const own = entries.findIndex((one) => one.name === name);
  if (entry === undefined && own < 0) return;
  const others = entries.filter((_, index) => index !== own);
  const first = others.findIndex((one) => meets(one.name, name));
  const at = own >= 0 ? own : first >= 0 ? first : others.length;
  const added = entry === undefined ? [] : [entry];
  set(app, place, [...others.slice(0, at), ...added, ...others.slice(at)]);
}

function firstMeeting(entries: readonly Entry[], name: string): Entry | undefined {
  return entries.find((one) => meets(one.name, name));
}

function entriesAt(app: unknown, place: Path): readonly Entry[] {
  const value = valueAt(app, place);
  return Array.isArray(value) ? value : [];
}

/** Rules, scopes and tokens go by the new name, too. */
function rename(app: Record<string, unknown>, from: string, to: string): void {
  for (const place of [SCOPES, TOKENS, ACCOUNTS]) {
    const entries = entriesAt(app, place);
    if (entries.some(({ name }) => name === from))
      set(
        app,
        place,
        entries.map((one) => (one.name === from ? { ...one, name: to } : one)),
      );
  }
  for (const place of GROUPS) {
    const entries = entriesAt(app, place);
    const isNamed = ({ tools }: Entry) => Array.isArray(tools) && tools.includes(from);
    const renamed = (one: Entry) => ({
      ...one,
      tools: (one.tools as unknown[]).map((tool) => (tool === from ? to : tool)),
    });
    if (entries.some(isNamed))
      set(
        app,
        place,
        entries.map((one) => (isNamed(one) ? renamed(one) : one)),
      );
  }
}

/** Of plain data; undefined takes the key away. */
function set(app: Record<string, unknown>, path: Path, value: unknown): void {
  const last = String(path.at(-1));
  let at = app;
  for (const step of path.slice(0, -1)) {
    const inner = at[String(step)];
    if (typeof inner === "object" && inner !== null) at = inner as Record<string, unknown>;
    else if (value === undefined) return;
    else {
      const made: Record<string, unknown> = {};
      at[String(step)] = made;
      at = made;
    }
  }
  if (value === undefined) delete at[last];
  else at[last] = value;
}
