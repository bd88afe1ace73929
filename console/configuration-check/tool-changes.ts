import { type Path, pathText, valueAt } from "../../lib/config/path.ts";
import { isToolPattern } from "../../lib/config/schema/apps/names.ts";
import { toolPattern } from "../../lib/config/tool-names.ts";
import type { AppPlace, ToolChange, ToolSettings } from "./protocol.ts";
import { appAt, type Change, EditRefused, isList, isObject } from "./yaml-data.ts";

/** Keys of an app that hold entries by a tool's name. */
const SCOPES = ["authorization", "inbound", "tools"] as const;
const TOKENS = ["authorization", "outbound", "tokenExchange", "tools"] as const;
const ACCOUNTS = ["authorization", "outbound", "userToken", "tools"] as const;
/** Keys of an app with entries of several tools. */
const GROUPS = [
  ["authorization", "inbound", "stepUp"],
  ["tools", "rules"],
] as const;
/** All of them, with the key of an entry that names tools. Everywhere the first entry that matches decides. */
const LISTS: readonly { readonly place: Path; readonly key: string }[] = [
  ...[SCOPES, TOKENS, ACCOUNTS].map((place) => ({ place, key: "name" })),
  ...GROUPS.map((place) => ({ place, key: "tools" })),
];

type Entry = Readonly<Record<string, unknown>>;
/** Old names with the new ones, all at once: tools may swap theirs. */
type Renames = ReadonlyMap<string, string>;

/**
 * What has to be changed so that the tools of an app become what a form says.
 *
 * @throws EditRefused where a new name would take a tool out of a pattern that protects it, or into another one
 */
export function toolChanges(data: unknown, place: AppPlace, changes: readonly ToolChange[]): readonly Change[] {
  const app = appAt(data, place);
  const draft = plain(app);
  const base = ["apps", place.index];
  const offered = changes.filter(({ to }) => to.isOffered);
  for (const { from, to } of changes) if (from.isOffered !== to.isOffered) offer(draft, to);
  if (draft.type === "mcpBridge") {
    for (const { from, to } of changes) if (!to.isOffered) forget(draft, from);
  }
  const renames = new Map(
    offered.map(({ from, to }) => [nameOf(from), nameOf(to)] as const).filter(([was, is]) => was !== is),
  );
  const before = structuredClone(draft);
  rename(draft, renames);
  for (const change of offered) refuseOtherEntries(before, draft, base, change);
  const isOpen = entriesAt(app, SCOPES).length === 0;
  for (const change of offered) apply(draft, change, isOpen);
  keepClosed(app, draft);
  const ofApp = PLACES.flatMap((at): readonly Change[] => {
    const [before, after] = [valueAt(app, at), valueAt(draft, at)];
    if (isSame(before, after)) return [];
    if (at.at(-1) === "overrides") return overrideChanges([...base, ...at], before, after);
    if (isListOfSame(before, after))
      return after.flatMap((_, index) => keyChanges([...base, ...at], before, after, index));
    const isEmpty = after === undefined || (Array.isArray(after) && after.length === 0);
    return [{ path: [...base, ...at], value: isEmpty ? undefined : after, keep: base.length }];
  });
  return [...ofApp, ...limitChanges(data, place, renames)];
}

function plain(value: unknown): Record<string, unknown> {
  return structuredClone(JSON.parse(JSON.stringify(value))) as Record<string, unknown>;
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

function apply(app: Record<string, unknown>, { from, to }: ToolChange, isOpen: boolean): void {
  const name = nameOf(to);
  for (const key of ["name", "description"] as const) {
    if (from[key] !== to[key]) set(app, ["openapi", "overrides", from.original, key], to[key]);
  }
  if (!isSame(from.scopes, to.scopes)) setScopes(app, name, to.scopes, isOpen);
  if (!isSame([from.tokenLifetime, from.tokenScopes], [to.tokenLifetime, to.tokenScopes])) {
    const { tokenLifetime: ttl, tokenScopes } = to;
    const isEmpty = ttl === undefined && tokenScopes === undefined;
    const entry = {
      // What an entry for several tools says of it stays, where the form says nothing else.
      ...firstMeeting(entriesAt(app, TOKENS), name),
      name,
      ...(ttl !== undefined && { ttl }),
      ...(tokenScopes !== undefined && { scopes: tokenScopes.map((name) => ({ name })) }),
    };
    setEntry(app, TOKENS, name, isEmpty ? undefined : entry);
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

function offer(app: Record<string, unknown>, { isOffered, pattern, aliases, tags }: ToolSettings): void {
  const at = app.type === "mcpBridge" ? "openapi" : "tools";
  const list = (key: string): readonly unknown[] => {
    const value = valueAt(app, [at, key]);
    return Array.isArray(value) ? value : [];
  };
  const named = (value: unknown) => typeof value === "string" && [pattern, ...aliases].includes(value);
  const matches = (value: unknown) => [pattern, ...aliases, ...tags].some((one) => meets(value, one));
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

/** What names a tool that is not there is a mistake. Entries for others stay. */
function forget(app: Record<string, unknown>, tool: ToolSettings): void {
  const name = nameOf(tool);
  set(app, ["openapi", "overrides", tool.original], undefined);
  for (const place of [SCOPES, TOKENS, ACCOUNTS]) setEntry(app, place, name, undefined);
  for (const place of GROUPS) {
    const left = entriesAt(app, place).flatMap((one): readonly Entry[] => {
      const tools = namesIn(one, "tools");
      if (!tools.includes(name)) return [one];
      const others = tools.filter((other) => other !== name);
      return others.length === 0 ? [] : [{ ...one, tools: others }];
    });
    if (valueAt(app, place) !== undefined) set(app, place, left);
  }
}

/** What a tool without an entry gets while others have one: nothing is asked of it. */
const EVERY_OTHER: Entry = { name: "/.*/", scopes: [] };

/**
 * As soon as one tool has an entry, tools without one cannot be called by anybody: the first entry brings one for all others. Where a tool's own
 * scopes are emptied, the entry that is for it otherwise decides; without one its own stays and asks for nothing.
 *
 * @param isOpen the app had no entries
 */
function setScopes(
  app: Record<string, unknown>,
  name: string,
  scopes: readonly string[] | undefined,
  isOpen: boolean,
): void {
  if (scopes !== undefined) {
    if (isOpen && entriesAt(app, SCOPES).length === 0) set(app, SCOPES, [EVERY_OTHER]);
    setEntry(app, SCOPES, name, { name, scopes });
    return;
  }
  const entries = entriesAt(app, SCOPES);
  const others = entries.filter((one) => !isOwn(one, name));
  const isNeeded = others.length < entries.length && firstMeeting(others, name) === undefined;
  setEntry(app, SCOPES, name, isNeeded ? { name, scopes: [] } : undefined);
}

/** An entry for all others goes with the last one. Other lists never become empty, which would open the tools that no entry is for. */
function keepClosed(app: unknown, draft: Record<string, unknown>): void {
  const [before, after] = [entriesAt(app, SCOPES), entriesAt(draft, SCOPES)];
  if (isSame(before, after)) return;
  if (isSame(after, [EVERY_OTHER])) set(draft, SCOPES, undefined);
  // Those of tools that are offered no more.
  else if (after.length === 0) set(draft, SCOPES, before);
}

/** In the place of the entry with this very name, else in front of the first that matches it. */
function setEntry(app: Record<string, unknown>, place: Path, name: string, entry: Entry | undefined): void {
  const entries = entriesAt(app, place);
  const own = entries.findIndex((one) => isOwn(one, name));
  if (entry === undefined && own < 0) return;
  const others = entries.filter((_, index) => index !== own);
  const first = others.findIndex((one) => isFor(one, "name", name));
  const at = own >= 0 ? own : first >= 0 ? first : others.length;
  const added = entry === undefined ? [] : [entry];
  set(app, place, [...others.slice(0, at), ...added, ...others.slice(at)]);
}

function firstMeeting(entries: readonly Entry[], name: string): Entry | undefined {
  return entries.find((one) => isFor(one, "name", name));
}

function isOwn(entry: unknown, name: string): boolean {
  return valueAt(entry, ["name"]) === name;
}

function isFor(entry: unknown, key: string, name: string): boolean {
  return namesIn(entry, key).some((one) => meets(one, name));
}

/** A list of names, or one. */
function namesIn(entry: unknown, key: string): readonly unknown[] {
  const names = valueAt(entry, [key]);
  if (names === undefined) return [];
  return isList(names) ? names : [names];
}

function entriesAt(app: unknown, place: Path): readonly Entry[] {
  const value = valueAt(app, place);
  return Array.isArray(value) ? value : [];
}

/** Rules, scopes and tokens go by the new names, too. */
function rename(app: Record<string, unknown>, renames: Renames): void {
  for (const { place, key } of LISTS) {
    const renamed = (one: Entry) =>
      isObject(one) && one[key] !== undefined ? { ...one, [key]: withNames(one[key], renames) } : one;
    if (entriesAt(app, place).length > 0) set(app, place, entriesAt(app, place).map(renamed));
  }
}

function withNames(names: unknown, renames: Renames): unknown {
  const renamed = (name: unknown) => (typeof name === "string" ? (renames.get(name) ?? name) : name);
  return isList(names) ? names.map(renamed) : renamed(names);
}

/** By its new name a tool is to have what it had: patterns do not follow. */
function refuseOtherEntries(before: unknown, after: unknown, base: Path, { from, to }: ToolChange): void {
  const [was, is] = [nameOf(from), nameOf(to)];
  const isNew = !isSame(from.scopes, to.scopes);
  for (const { place, key } of was === is ? [] : LISTS) {
    // What the form says of the scopes itself needs no other entry; where it takes them away, the others count.
    if (place === SCOPES && isNew && to.scopes !== undefined) continue;
    const first = (app: unknown, name: string) =>
      entriesAt(app, place).findIndex(
        (one) => !(place === SCOPES && isNew && isOwn(one, name)) && isFor(one, key, name),
      );
    const [old, next] = [first(before, was), first(after, is)];
    if (old === next) continue;
    const isGained = old < 0 || (next >= 0 && next < old);
    const index = isGained ? next : old;
    const names = namesIn(entriesAt(isGained ? after : before, place)[index], key);
    throw notRenamed(was, is, [...base, ...place, index, key], names, isGained);
  }
}

function notRenamed(was: string, is: string, path: Path, names: readonly unknown[], isGained: boolean): EditRefused {
  const name = names.find((one) => meets(one, isGained ? is : was));
  return new EditRefused(
    `${was} cannot be renamed to ${is} by a form: ${pathText(path)} has ${name}, which matches only the ${isGained ? "new" : "old"} name. Nothing was changed. Change both in the text.`,
  );
}

/** Limits of the whole document that are about tools of the app. Where other apps may have a tool of that name, the old name stays beside the new one. */
function limitChanges(data: unknown, { index, name }: AppPlace, renames: Renames): readonly Change[] {
  const others = entriesAt(data, ["apps"]).filter(
    (one, at) => at !== index && ["mcpBridge", "mcpProxy"].includes(String(valueAt(one, ["type"]))),
  );
  return entriesAt(data, ["limits"]).flatMap((limit, at): readonly Change[] => {
    const conditions = valueAt(limit, ["for"]);
    const apps = namesIn(conditions, "app");
    const isAbout = (app: unknown) => apps.length === 0 || apps.includes(app);
    if (!isAbout(name)) return [];
    const isShared = others.some((one) => isAbout(valueAt(one, ["name"])));
    const path = ["limits", at, "for", "tool"];
    const before = namesIn(conditions, "tool");
    const renamed = before.map((one) => withNames(one, renames));
    const after = isShared && !isSame(before, renamed) ? [...new Set([...before, ...renamed])] : renamed;
    for (const [was, is] of renames) {
      const [isOld, isNew] = [before.some((one) => meets(one, was)), after.some((one) => meets(one, is))];
      if (isOld !== isNew) throw notRenamed(was, is, path, isNew ? after : before, isNew);
    }
    if (isSame(before, after)) return [];
    return [{ path, value: isList(valueAt(conditions, ["tool"])) || after.length > 1 ? after : after[0] }];
  });
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
