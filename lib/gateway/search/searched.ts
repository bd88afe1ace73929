import type { Gateway } from "../gateway.ts";
import type { ListingCaller } from "../list-tools.ts";
import { listsOf } from "../proxied/lists.ts";
import { ownedTools } from "../proxied/owned-lists.ts";
import { listedProxiedTool } from "../proxied/proxied-tool.ts";
import { visibleProxies } from "../proxied/visible-proxies.ts";
import type { LocatedTool } from "../tool-index.ts";
import { isMetaTool } from "./meta-tools.ts";
import type { ToolList } from "./searched-list.ts";

/** What a caller's search is about, before policies are asked. */
export interface Searched {
  /** What upstream MCP servers list for the caller. */
  readonly lists: readonly ToolList[];
  /** The tool that the caller would call by this name, of whichever kind. */
  readonly get: (name: string) => LocatedTool | undefined;
}

/** Asks the upstreams whose lists are not kept; those that do not answer in time are left out (checklist 31). */
export async function searchedBy(caller: ListingCaller, gateway: Gateway): Promise<Searched> {
  const { proxies } = gateway;
  const apps = proxies.apps.length === 0 ? [] : await visibleProxies(caller.identity, gateway);
  return searchedIn(ownedTools(await listsOf("tools", apps, caller, gateway), apps), gateway);
}

export function searchedIn(
  lists: readonly ToolList[],
  { tools, proxies }: Pick<Gateway, "tools" | "proxies">,
): Searched {
  const proxied = (name: string): LocatedTool | undefined => {
    if (isMetaTool(name)) return undefined;
    for (const { app, list } of lists) {
      const entry = list.byName.get(name);
      if (entry !== undefined) return listedProxiedTool(app, entry, proxies);
    }
    return undefined;
  };
  return { lists, get: (name) => tools.get(name) ?? proxied(name) };
}
