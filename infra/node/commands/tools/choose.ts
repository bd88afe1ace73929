import { nearest } from "../../../../lib/config/suggest.ts";
import { UsageError } from "../../usage-error.ts";
import type { ToolApp, ToolSource } from "./tool-apps.ts";

/** How many names an error proposes. */
const PROPOSED = 3;

/** All apps, or the one of this name. Throws a `UsageError` that has the names there are. */
export function chooseApps({ apps, notServed }: ToolSource, name: string | undefined): readonly ToolApp[] {
  if (name === undefined) return apps;
  const chosen = apps.filter((app) => app.name === name);
  if (chosen.length > 0) return chosen;
  const reasons = notServed.find((app) => app.name === name)?.reasons;
  if (reasons !== undefined) {
    throw new UsageError(`The app ${name} is not served: this version does not ${reasons.join(", ")}.`);
  }
  const names = apps.map((app) => app.name);
  throw new UsageError(
    names.length === 0
      ? `There is no app ${name}: no app has tools.`
      : `There is no app ${name} with tools; accepted: ${names.join(", ")}.`,
  );
}

/** The tool that agents see by this name. Throws a `UsageError` that has names like it. */
export function findTool(apps: readonly ToolApp[], name: string) {
  for (const app of apps) {
    const tool = app.catalog.tools.find((tool) => tool.name === name);
    if (tool !== undefined) return { app, tool };
  }
  const similar = similarNames(apps, name);
  throw new UsageError(
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
