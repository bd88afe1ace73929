import type { Gateway } from "../gateway.ts";
import { isMetaTool } from "../search/meta-tools.ts";
import type { ProxiedTool } from "../tool-index.ts";
import type { HiddenName } from "./hidden-names.ts";
import { listsOf } from "./lists.ts";
import { ownedTools } from "./owned-lists.ts";
import { listedProxiedTool } from "./proxied-tool.ts";
import type { UpstreamCaller } from "./upstream-of.ts";
import { visibleProxies } from "./visible-proxies.ts";

/**
 * The tools of all upstreams that the caller may see, in the order of the apps; of those with one name the first. None is
 * called like those that search for tools, where these may be offered.
 */
export async function proxiedTools(caller: UpstreamCaller, gateway: Gateway): Promise<readonly ProxiedTool[]> {
  const { apps } = gateway.proxies;
  if (apps.length === 0) return [];
  const visible = await visibleProxies(caller.identity, gateway);
  const lists = ownedTools(await listsOf("tools", visible, caller, gateway), visible);
  const byName = new Map<string, ProxiedTool>();
  const hidden: HiddenName[] = [];
  for (const { app, list } of lists) {
    for (const entry of list.entries) {
      if (gateway.search !== undefined && isMetaTool(entry.name)) continue;
      const known = gateway.tools.get(entry.name) ?? byName.get(entry.name);
      if (known === undefined) byName.set(entry.name, listedProxiedTool(app, entry, gateway.proxies));
      else hidden.push({ app: app.name, behind: known.app.name, name: entry.name });
    }
  }
  gateway.proxies.hiddenNames.tell("tools", hidden, caller.request.logger);
  return [...byName.values()];
}
