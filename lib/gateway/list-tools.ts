import { visibleTools } from "./decision/decide.ts";
import type { PolicyCaller } from "./decision/policy-input.ts";
import type { ListPorts } from "./decision/step.ts";
import { type OnUnlisted, type ProxiedToolsPorts, proxiedTools } from "./proxied/proxied-tools.ts";
import type { UpstreamCaller } from "./proxied/reach-upstream.ts";
import { META_TOOLS } from "./search/meta-tools.ts";
import type { ListedTool, LocatedTool } from "./tool-index.ts";

/** Whom policies are asked about, and whom upstreams list their tools for. */
export type ListingCaller = PolicyCaller & UpstreamCaller;

export type ListingPorts = ProxiedToolsPorts & ListPorts;

/**
 * Every tool of the apps that the agent may see (D32) that no policy hides; where they are many or long, three to search them
 * with (D101, D107). Scopes do not hide, a step-up can reach them (D26).
 *
 * @param onUnlisted is told of apps of which nothing is known now
 */
export async function listTools(
  caller: ListingCaller,
  gateway: ListingPorts,
  onUnlisted?: OnUnlisted,
): Promise<readonly ListedTool[]> {
  const { tools, search } = gateway;
  if (search !== undefined && search.above < 0) return META_TOOLS;
  const proxied = await proxiedTools(caller, gateway, onUnlisted);
  const all = tools.size === 0 ? proxied : [...tools.values(), ...proxied];
  const visible = await visibleTools(all, caller, gateway);
  if (search !== undefined && (visible.length > search.above || search.isLong(visible))) return META_TOOLS;
  return listedOnce(visible, proxied.length > 0 ? proxied : tools);
}

/** A list as it was shown last, of what the next one is of as well. */
interface ShownList {
  readonly visible: readonly LocatedTool[];
  readonly listed: readonly ListedTool[];
}

const shownLists = new WeakMap<object, ShownList>();

/**
 * The tools as lists show them. Of the same tools it is the same array, by which its text is known again: what is visible was decided
 * before.
 *
 * @param source what the tools are taken from
 */
function listedOnce(visible: readonly LocatedTool[], source: object): readonly ListedTool[] {
  const last = shownLists.get(source);
  const isSame =
    last?.visible.length === visible.length && last.visible.every((tool, index) => tool === visible[index]);
  if (last !== undefined && isSame) return last.listed;
  const listed = visible.map((located) => located.listed());
  shownLists.set(source, { visible, listed });
  return listed;
}
