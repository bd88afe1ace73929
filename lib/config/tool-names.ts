import { valueAt } from "./path.ts";

/**
 * The test behind a tool's name in the configuration: the exact local name, or an anchored regular expression between
 * slashes. Its `.` takes every character, line breaks as well.
 */
export function toolPattern(name: string): (localName: string) => boolean {
  if (!(name.length > 2 && name.startsWith("/") && name.endsWith("/"))) return (localName) => localName === name;
  const expression = new RegExp(`^(?:${name.slice(1, -1)})$`, "s");
  return (localName) => expression.test(localName);
}

/** Finds the first entry that names a tool. A catalog has a thousand tools, so each pattern is made ready once for all of them. */
export function firstNaming<T>(
  entries: readonly T[],
  namesOf: (entry: T) => readonly string[],
): (localName: string) => T | undefined {
  const prepared = entries.map((entry) => ({ entry, patterns: namesOf(entry).map(toolPattern) }));
  return (localName) => prepared.find(({ patterns }) => patterns.some((matches) => matches(localName)))?.entry;
}

/**
 * The inbound scopes that an MCP app of the plain document wants for its tools; the first entry that matches decides,
 * as it does at run time. A scope that a placeholder stands for is null. Undefined: there are entries and none matches, so
 * that nobody may call the tool (D163).
 */
export function inboundScopesOf(app: unknown): (localName: string) => readonly (string | null)[] | undefined {
  const value = valueAt(app, ["authorization", "inbound", "tools"]);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const entryOf = firstNaming(entries, (entry) => {
    const name = valueAt(entry, ["name"]);
    return typeof name === "string" ? [name] : [];
  });
  return (localName) => {
    const entry = entryOf(localName);
    if (entry === undefined && entries.length > 0) return undefined;
    return (valueAt(entry, ["scopes"]) ?? []) as readonly (string | null)[];
  };
}

/** The same for one tool. */
export function inboundScopes(app: unknown, localName: string): readonly (string | null)[] | undefined {
  return inboundScopesOf(app)(localName);
}

/** The tools that all others are searched, described and called with; no app's tool is called so while they are offered. */
export const SEARCH_TOOLS = "search_tools";
export const DESCRIBE_TOOLS = "describe_tools";
export const CALL_TOOL = "call_tool";

export const META_TOOL_NAMES: readonly string[] = [SEARCH_TOOLS, DESCRIBE_TOOLS, CALL_TOOL];
