import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { UpstreamTool } from "../../proxy/catalog/upstream-list.ts";
import { mayOwn, overshadowed } from "../../proxy/names/owned.ts";
import type { AppList } from "./lists.ts";

/**
 * The lists without tools whose names belong to another app's namespace: they do not exist for agents, or one server could
 * describe another one's tools (D128).
 *
 * @param visible all apps that the caller may see, also those that listed nothing
 */
export function ownedTools(
  lists: readonly AppList<"tools">[],
  visible: readonly McpProxyAppConfiguration[],
): readonly AppList<"tools">[] {
  const shadowed = overshadowed(visible);
  return lists.map((listed) => (shadowed.has(listed.app) ? withoutOthers(listed, visible) : listed));
}

/** The list itself where nothing has to go, by which it is known again. */
function withoutOthers(
  { app, list }: AppList<"tools">,
  visible: readonly McpProxyAppConfiguration[],
): AppList<"tools"> {
  const isOwn = ({ name }: UpstreamTool) => mayOwn(visible, name).includes(app);
  if (list.entries.every(isOwn)) return { app, list };
  const entries = list.entries.filter(isOwn);
  return { app, list: { ...list, entries, byName: new Map(entries.map((entry) => [entry.name, entry])) } };
}
