import type { Catalog } from "../../openapi/catalog.ts";
import { placesOf, valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";
import { inboundScopesOf, toolPattern } from "../tool-names.ts";

/**
 * Tools without scopes are open by intention or by oversight, and those that no entry names beside others nobody may call (D163);
 * only the owner of the document can tell.
 */
export function openToolWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string") return [];
    const path = ["apps", index, "authorization", "inbound"];
    const names = toolNames(app, catalogs, name);
    const open = hasPolicy(app) ? undefined : openTools(app, names);
    const denied = names === undefined ? undefined : among(names, (scopes) => scopes === undefined, app);
    return [
      ...(open === undefined
        ? []
        : [{ path, message: `${open} of the app ${name} need no scope: every authenticated agent may call them` }]),
      ...(denied === undefined
        ? []
        : [{ path, message: `${denied} of the app ${name} match no entry of tools: nobody may call them` }]),
    ];
  });
}

/** Undefined: what tools an MCP server has is not known, and may change. Only a list of names says which ones are offered. */
function toolNames(
  app: unknown,
  catalogs: Readonly<Record<string, Catalog>>,
  name: string,
): readonly string[] | undefined {
  if (valueAt(app, ["type"]) !== "mcpProxy") {
    const tools = Object.hasOwn(catalogs, name) ? (catalogs[name]?.tools ?? []) : [];
    return tools.map(({ localName }) => localName);
  }
  const include: unknown = valueAt(app, ["tools", "include"]);
  return isListOfNames(include) ? include.filter(isOffered(app)) : undefined;
}

function openTools(app: unknown, names: readonly string[] | undefined): string | undefined {
  if (names !== undefined) return among(names, (scopes) => scopes?.length === 0, app);
  return inboundScopesOf(app)(ANY_TOOL)?.length === 0 ? "tools that no entry with scopes names" : undefined;
}

function isOffered(app: unknown): (name: string) => boolean {
  const exclude: unknown = valueAt(app, ["tools", "exclude"]);
  const excluded = Array.isArray(exclude) ? exclude.filter((name) => typeof name === "string").map(toolPattern) : [];
  return (name) => !excluded.some((matches) => matches(name));
}

/** How many of the tools have such scopes; undefined: none. */
function among(
  names: readonly string[],
  isSuch: (scopes: readonly unknown[] | undefined) => boolean,
  app: unknown,
): string | undefined {
  const scopesOf = inboundScopesOf(app);
  const such = names.filter((name) => isSuch(scopesOf(name)));
  return such.length === 0 ? undefined : `${such.length} of ${names.length} ${names.length === 1 ? "tool" : "tools"}`;
}

/** A name that only an entry for all names is for. */
const ANY_TOOL = "any.Other_tool-1";

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && !name.startsWith("/"));
}

function hasPolicy(app: unknown): boolean {
  const policies = [["cel"], ["opa"], ["authzen"], ["rules", "*"]].map((place) => [
    "authorization",
    "inbound",
    ...place,
  ]);
  return policies.some((place) => placesOf(app, place).length > 0);
}
