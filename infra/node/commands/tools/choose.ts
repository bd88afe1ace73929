import { nearest } from "../../../../lib/kernel/suggestions.ts";
import type { CatalogTool } from "../../../../lib/openapi/catalog.ts";
import { exposedName } from "../../../../lib/openapi/names.ts";
import { UsageError } from "../../usage-error.ts";
import { reasonText } from "../catalog-summary.ts";
import { namespaceOf } from "./namespace.ts";
import type { ToolApp, ToolSource } from "./tool-apps.ts";

/** How many names an error proposes. */
const PROPOSED = 3;

/** All apps, or the one of this name. Throws a `UsageError` that has the names there are. */
export function chooseApps(source: ToolSource, name: string | undefined): Pick<ToolSource, "apps" | "servers"> {
  const { apps, servers } = source;
  if (name === undefined) return source;
  const chosen = {
    apps: apps.filter((app) => app.name === name),
    servers: servers.filter(({ app }) => app === name),
  };
  if (chosen.apps.length + chosen.servers.length > 0) return chosen;
  const names = [...apps.map((app) => app.name), ...servers.map(({ app }) => app)];
  throw new UsageError(
    names.length === 0
      ? `There is no app ${name}: no app has tools.`
      : `There is no app ${name} with tools; accepted: ${names.join(", ")}.`,
  );
}

export interface FoundTool {
  readonly app: ToolApp;
  readonly tool: CatalogTool;
}

/** The tool that agents see by this name, else the only one that rules know by it. */
export function findTool(apps: readonly ToolApp[], name: string): FoundTool | undefined {
  const all = apps.flatMap((app) => app.catalog.tools.map((tool) => ({ app, tool })));
  const [local, second] = all.filter(({ tool }) => tool.localName === name);
  return all.find(({ tool }) => tool.name === name) ?? (second === undefined ? local : undefined);
}

/** Says why there is no tool of this name: its operation is left out, or it is a name like others. */
export async function noTool(apps: readonly ToolApp[], name: string): Promise<UsageError> {
  for (const app of apps) {
    const prefix = namespaceOf(app) ?? `${app.name}_`;
    for (const { localName, operation, ...why } of app.catalog.leftOut) {
      if (localName === undefined || (localName !== name && (await exposedName(prefix + localName)) !== name)) continue;
      return new UsageError(`There is no tool ${name}: ${operation} is left out: ${reasonText(why)}.`);
    }
  }
  const similar = similarNames(apps, name);
  return new UsageError(
    similar.length === 0
      ? `There is no tool ${name}; without -tool, all are listed.`
      : `There is no tool ${name}; did you mean ${similar.join(", ")}?`,
  );
}

/** Tools that have the name but for the namespace, else that differ by a few letters or have it inside. */
function similarNames(apps: readonly ToolApp[], name: string): readonly string[] {
  const tools = apps.flatMap(({ catalog }) => catalog.tools);
  const wanted = name.toLowerCase();
  const sameLocal = tools.filter(({ localName }) => localName.toLowerCase() === wanted).map((tool) => tool.name);
  if (sameLocal.length > 0) return sameLocal.slice(0, PROPOSED);
  const names = tools.map((tool) => tool.name);
  const locals = nearestNames(
    name,
    tools.map(({ localName }) => localName),
  );
  const similar = [
    ...nearestNames(name, names),
    ...tools.filter(({ localName }) => locals.includes(localName)).map((tool) => tool.name),
    ...names.filter((known) => known.toLowerCase().includes(wanted)),
  ];
  return [...new Set(similar)].slice(0, PROPOSED);
}

function nearestNames(name: string, known: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let rest = known; found.length < PROPOSED; rest = rest.filter((one) => !found.includes(one))) {
    const next = nearest(name, rest);
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}
