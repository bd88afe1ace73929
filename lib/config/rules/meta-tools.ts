import type { Catalog } from "../../bridge/catalog.ts";
import { META_TOOL_NAMES } from "../meta-tool-names.ts";
import { valueAt } from "../path.ts";
import type { Problem } from "./rule.ts";

/** Of the schema; a placeholder's value is not known yet. */
const THRESHOLD = 150;

/** Tools of apps that are called like those that search for tools, where agents may be offered these. */
export function metaToolProblems(
  document: unknown,
  catalogs: ReadonlyMap<string, Catalog>,
  served: ReadonlySet<string>,
): readonly Problem[] {
  const ofServed = [...catalogs].filter(([name]) => served.has(name));
  const count = ofServed.reduce((sum, [, { tools }]) => sum + tools.length, 0);
  if (!isSearchOffered(document, count)) return [];
  const apps = valueAt(document, ["apps"]);
  return ofServed.flatMap(([app, { tools }]) => {
    const index = (apps as readonly unknown[]).findIndex((one) => valueAt(one, ["name"]) === app);
    return tools
      .filter(({ name }) => META_TOOL_NAMES.includes(name))
      .map(({ name }) => ({
        path: ["apps", index],
        message: `the tool ${name} is called like one of the gateway's own; accepted: a toolNamespace.name, or mcpProvider.catalog.search: off`,
      }));
  });
}

function isSearchOffered(document: unknown, count: number): boolean {
  const isEnabled = valueAt(document, ["mcpProvider", "enabled"]);
  if (isEnabled === undefined || isEnabled === false) return false;
  const search = valueAt(document, ["mcpProvider", "catalog", "search"]);
  if (search === "on" || search === "off") return search === "on";
  const threshold = valueAt(document, ["mcpProvider", "catalog", "threshold"]);
  // What upstream MCP servers have is not known before somebody asks them.
  return count > (typeof threshold === "number" ? threshold : THRESHOLD) || hasProxies(document);
}

function hasProxies(document: unknown): boolean {
  const apps = valueAt(document, ["apps"]);
  return Array.isArray(apps) && apps.some((app) => valueAt(app, ["type"]) === "mcpProxy");
}
