import type { Catalog } from "../../bridge/catalog.ts";
import { found } from "../found.ts";
import { type Path, valueAt } from "../path.ts";
import { nearest } from "../suggest.ts";
import { toolPattern } from "../tool-pattern.ts";
import { indexesOf, type Problem } from "./rule.ts";

/**
 * Rules that need the compiled catalogs: names that clash between apps that are served, and protection for tools that do
 * not exist.
 */
export function toolProblems(
  document: unknown,
  catalogs: ReadonlyMap<string, Catalog>,
  served: ReadonlySet<string>,
): readonly Problem[] {
  const apps = valueAt(document, ["apps"]);
  const owners = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [index, app] of (Array.isArray(apps) ? apps : []).entries()) {
    const name = String(valueAt(app, ["name"]));
    const catalog = catalogs.get(name);
    if (catalog === undefined || valueAt(app, ["type"]) !== "mcpBridge") continue;
    if (served.has(name)) problems.push(...clashes(catalog, name, ["apps", index], owners));
    problems.push(...unknownTools(catalog, app, ["apps", index]));
  }
  return problems;
}

function clashes(catalog: Catalog, app: string, path: Path, owners: Map<string, string>): Problem[] {
  const problems: Problem[] = [];
  for (const { name } of catalog.tools) {
    const owner = owners.get(name) ?? app;
    if (owner !== app) {
      const message = `the tool ${name} exists in the app ${owner} already; accepted: different toolNamespace names`;
      problems.push({ path, message });
    }
    owners.set(name, owner);
  }
  return problems;
}

/** A misspelt name would leave its tool open to every caller, so it is a mistake and not a remark. */
function unknownTools(catalog: Catalog, app: unknown, path: Path): Problem[] {
  const names = catalog.tools.map((tool) => tool.localName);
  const problems: Problem[] = [];
  for (const at of namedTools(app)) {
    const name = valueAt(app, at);
    if (typeof name !== "string" || matchesAny(name, names)) continue;
    const renamed = valueAt(app, ["openapi", "overrides", name, "name"]);
    const suggestion = typeof renamed === "string" ? renamed : nearest(name, names);
    const hint = suggestion === undefined ? "see `countersign tools`" : `did you mean "${suggestion}"?`;
    const message = `found ${found(name, [...path, ...at], undefined)}, which matches no tool of this app; ${hint}`;
    problems.push({ path: [...path, ...at], message });
  }
  return problems;
}

/** Where protection names tools. */
function namedTools(app: unknown): readonly Path[] {
  const inbound = ["authorization", "inbound"];
  const scoped = indexesOf(valueAt(app, [...inbound, "tools"])).map((index) => [...inbound, "tools", index, "name"]);
  const stepUp = indexesOf(valueAt(app, [...inbound, "stepUp"])).flatMap((index) => {
    const tools = [...inbound, "stepUp", index, "tools"];
    return indexesOf(valueAt(app, tools)).map((tool) => [...tools, tool]);
  });
  return [...scoped, ...stepUp];
}

function matchesAny(name: string, names: readonly string[]): boolean {
  try {
    return names.some(toolPattern(name));
  } catch (error) {
    // An invalid expression: the schema refuses it with its own words.
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}
