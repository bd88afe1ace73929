import type { SchemaCheck } from "../../openapi/validation.ts";
import type { ListPorts } from "../decision/step.ts";
import type { ListingCaller } from "../list-tools.ts";
import type { ProxyPorts } from "../proxied/ask.ts";
import { listsOf, ownedTools } from "../proxied/lists.ts";
import { connectTools, listedProxiedTool } from "../proxied/proxied-tools.ts";
import { visibleProxies } from "../proxied/proxies.ts";
import type { LocatedTool, ToolIndex } from "../tool-index.ts";
import { isMetaTool } from "./meta-tools.ts";
import type { Search } from "./search.ts";
import type { Searched } from "./searched-list.ts";

export type SearchedPorts = ProxyPorts & { readonly tools: ToolIndex };

/** What searching takes, and describing what was found. */
export type SearchingPorts = SearchedPorts & ListPorts & { readonly search: Search; readonly check: SchemaCheck };

/** Asks the upstreams whose lists are not kept; those that do not answer in time are left out (checklist 31). */
export async function searchedBy(caller: ListingCaller, ports: SearchedPorts): Promise<Searched> {
  const { proxies, tools } = ports;
  const apps = proxies.apps.length === 0 ? [] : await visibleProxies(caller.identity, ports);
  const { lists: all, unlisted, unconnected } = await listsOf("tools", apps, caller, ports);
  const lists = ownedTools(all, apps);
  return searchedIn({ lists, unlisted, connecting: connectTools({ lists, unconnected }, tools) }, ports);
}

export function searchedIn(
  { lists = [], unlisted = [], connecting = [] }: Partial<Omit<Searched, "get">>,
  { tools, proxies }: SearchedPorts,
): Searched {
  const proxied = (name: string): LocatedTool | undefined => {
    if (isMetaTool(name)) return undefined;
    for (const { app, list } of lists) {
      const entry = list.byName.get(name);
      if (entry !== undefined) return listedProxiedTool(app, entry, proxies);
    }
    return connecting.find(({ tool }) => tool.name === name);
  };
  return { lists, unlisted, connecting, get: (name) => tools.get(name) ?? proxied(name) };
}
