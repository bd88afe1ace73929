import { mayOwn } from "../../proxy/names/owned.ts";
import type { Gateway } from "../gateway.ts";
import { isMetaTool } from "../search/meta-tools.ts";
import type { ProxiedTool } from "../tool-index.ts";
import { listsOf } from "./lists.ts";
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
  const lists = await listsOf("tools", visible, caller, gateway);
  const byName = new Map<string, ProxiedTool>();
  for (const { app, list } of lists) {
    for (const entry of list.entries) {
      if (byName.has(entry.name) || gateway.tools.has(entry.name)) continue;
      if (!mayOwn(visible, entry.name).includes(app)) continue;
      if (gateway.search !== undefined && isMetaTool(entry.name)) continue;
      byName.set(entry.name, listedProxiedTool(app, entry, gateway.proxies));
    }
  }
  return [...byName.values()];
}
