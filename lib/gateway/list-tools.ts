import { visibleTools } from "./decision/decide.ts";
import type { PolicyCaller } from "./decision/policy-input.ts";
import type { ListPorts } from "./decision/step.ts";
import { type ProxiedToolsPorts, proxiedTools } from "./proxied/proxied-tools.ts";
import type { UpstreamCaller } from "./proxied/reach-upstream.ts";
import { META_TOOLS } from "./search/meta-tools.ts";
import type { ListedTool } from "./tool-index.ts";

/** Whom policies are asked about, and whom upstreams list their tools for. */
export type ListingCaller = PolicyCaller & UpstreamCaller;

export type ListingPorts = ProxiedToolsPorts & ListPorts;

/**
 * Every tool of the apps that the agent may see (D32) that no policy hides; where they are many or long, three to search them
 * with (D101, D107). Scopes do not hide, a step-up can reach them (D26).
 */
export async function listTools(caller: ListingCaller, gateway: ListingPorts): Promise<readonly ListedTool[]> {
  const { tools, search } = gateway;
  if (search !== undefined && search.above < 0) return META_TOOLS;
  const all = [...tools.values(), ...(await proxiedTools(caller, gateway))];
  const visible = await visibleTools(all, caller, gateway);
  if (search !== undefined && (visible.length > search.above || search.isLong(visible))) return META_TOOLS;
  return visible.map(({ listed }) => listed());
}
