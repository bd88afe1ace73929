import type { Catalog } from "../../openapi/catalog.ts";
import { reasonsNotServed } from "../not-served.ts";
import { placesOf, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";
import { inboundScopesOf, toolPattern } from "../tool-names.ts";

/** Tools without scopes are open by intention or by oversight; only the owner of the document can tell. */
export function openToolWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || reasonsNotServed(app).length > 0 || hasPolicy(app)) return [];
    const open = valueAt(app, ["type"]) === "mcpProxy" ? openOfServer(app) : openOfCatalog(app, catalogs, name);
    if (open === undefined) return [];
    const message = `${open} of the app ${name} need no scope: every authenticated agent may call them`;
    return [{ path: ["apps", index, "authorization", "inbound"], message }];
  });
}

function openOfCatalog(app: unknown, catalogs: Readonly<Record<string, Catalog>>, name: string): string | undefined {
  const tools = Object.hasOwn(catalogs, name) ? (catalogs[name]?.tools ?? []) : [];
  return openAmong(
    app,
    tools.map(({ localName }) => localName),
  );
}

/** What tools an MCP server has is not known, and may change: only a list of names says which ones are offered. */
function openOfServer(app: unknown): string | undefined {
  const include: unknown = valueAt(app, ["tools", "include"]);
  if (isListOfNames(include)) return openAmong(app, include.filter(isOffered(app)));
  return inboundScopesOf(app)(ANY_TOOL).length === 0 ? "tools that no entry with scopes names" : undefined;
}

function isOffered(app: unknown): (name: string) => boolean {
  const exclude: unknown = valueAt(app, ["tools", "exclude"]);
  const excluded = Array.isArray(exclude) ? exclude.filter((name) => typeof name === "string").map(toolPattern) : [];
  return (name) => !excluded.some((matches) => matches(name));
}

function openAmong(app: unknown, names: readonly string[]): string | undefined {
  const scopesOf = inboundScopesOf(app);
  const open = names.filter((name) => scopesOf(name).length === 0);
  return open.length === 0 ? undefined : `${open.length} of ${names.length} ${names.length === 1 ? "tool" : "tools"}`;
}

/** A name that only an entry for all names is for. */
const ANY_TOOL = "any.Other_tool-1";

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && !name.startsWith("/"));
}

function hasPolicy(app: unknown): boolean {
  const policies = [["cel"], ["opa"], ["rules", "*"]].map((place) => ["authorization", "inbound", ...place]);
  return policies.some((place) => placesOf(app, place).length > 0);
}
