import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { lazy } from "../../kernel/lazy.ts";
import { toolVersion } from "../../upstream/catalog/tool-version.ts";
import type { UpstreamList, UpstreamTool } from "../../upstream/catalog/upstream-list.ts";
import { isMetaTool } from "../search/meta-tools.ts";
import type { Search } from "../search/search.ts";
import type { ListedTool, ProxiedTool, ToolIndex } from "../tool-index.ts";
import { ruledTool, shownTool } from "../tool-rules.ts";
import type { ProxyPorts } from "./ask.ts";
import { connectTool } from "./connect-tool.ts";
import { type AppList, type AppLists, listsOf, ownedTools, type UnlistedApp } from "./lists.ts";
import { type HiddenName, type Proxies, visibleProxies } from "./proxies.ts";
import type { UpstreamCaller } from "./reach-upstream.ts";

export type ProxiedToolsPorts = ProxyPorts & { readonly tools: ToolIndex; readonly search: Search | undefined };

/** Is told of the apps whose tools nobody knows now. */
export type OnUnlisted = (unlisted: readonly UnlistedApp[]) => void;

/**
 * The tools of all upstreams that the caller may see, in the order of the apps; of those with one name the first. None is
 * called like those that search for tools, where these may be offered.
 */
export async function proxiedTools(
  caller: UpstreamCaller,
  ports: ProxiedToolsPorts,
  onUnlisted?: OnUnlisted,
): Promise<readonly ProxiedTool[]> {
  const { apps } = ports.proxies;
  if (apps.length === 0) return [];
  const visible = await visibleProxies(caller.identity, ports);
  const listed = await listsOf("tools", visible, caller, ports);
  onUnlisted?.(listed.unlisted);
  const lists = ownedTools(listed.lists, visible);
  const { tools, hidden } = composed(lists, ports);
  ports.proxies.hiddenNames.tell("tools", hidden, caller.request.logger);
  const connecting = connectTools(listed, ports.tools);
  return connecting.length === 0 ? tools : [...tools, ...connecting];
}

/**
 * One tool of each app of which nothing is known before its person has connected; none is called like another tool.
 *
 * @param tools of REST APIs
 */
export function connectTools(
  { lists, unconnected }: Pick<AppLists<"tools">, "lists" | "unconnected">,
  tools: ToolIndex,
): readonly ProxiedTool[] {
  const own = new Set<string>();
  const isTaken = (name: string) => own.has(name) || tools.has(name) || lists.some(({ list }) => list.byName.has(name));
  return unconnected.flatMap((app) => {
    const connecting = lists.some((known) => known.app === app) ? undefined : connectTool(app);
    if (connecting === undefined || isTaken(connecting.tool.name)) return [];
    own.add(connecting.tool.name);
    return [connecting];
  });
}

interface Composed {
  readonly tools: readonly ProxiedTool[];
  readonly hidden: readonly HiddenName[];
}

/** The same lists together. */
interface KnownComposition extends Composed {
  readonly lists: readonly AppList<"tools">[];
  readonly ports: Pick<ProxiedToolsPorts, "tools" | "search" | "proxies">;
}

/** By the first of the lists: what was made of them last. Whose lists they are was asked before. */
const compositions = new WeakMap<UpstreamList, KnownComposition>();

function composed(lists: readonly AppList<"tools">[], ports: ProxiedToolsPorts): Composed {
  const [first] = lists;
  if (first === undefined) return { tools: [], hidden: [] };
  const known = compositions.get(first.list);
  if (known !== undefined && isOf(known, lists, ports)) return known;
  const { tools, search, proxies } = ports;
  const made = { ...compose(lists, ports), lists, ports: { tools, search, proxies } };
  compositions.set(first.list, made);
  return made;
}

function isOf(
  { lists: known, ports: before }: KnownComposition,
  lists: KnownComposition["lists"],
  now: ProxiedToolsPorts,
) {
  return (
    before.tools === now.tools &&
    before.search === now.search &&
    before.proxies === now.proxies &&
    known.length === lists.length &&
    known.every(({ app, list }, index) => app === lists[index]?.app && list === lists[index]?.list)
  );
}

function compose(lists: readonly AppList<"tools">[], ports: ProxiedToolsPorts): Composed {
  const byName = new Map<string, ProxiedTool>();
  const hidden: HiddenName[] = [];
  for (const { app, list } of lists) {
    for (const entry of list.entries) {
      if (ports.search !== undefined && isMetaTool(entry.name)) continue;
      const known = ports.tools.get(entry.name) ?? byName.get(entry.name);
      if (known === undefined) byName.set(entry.name, listedProxiedTool(app, entry, ports.proxies));
      else hidden.push({ app: app.name, behind: known.app.name, name: entry.name });
    }
  }
  return { tools: [...byName.values()], hidden };
}

/** By the entry of a list: the tool that was made of it. */
const listedTools = new WeakMap<UpstreamTool, { readonly proxies: Proxies; readonly located: ProxiedTool }>();

/** A tool that an upstream lists: of one entry the same. */
export function listedProxiedTool(app: McpProxyAppConfiguration, entry: UpstreamTool, proxies: Proxies): ProxiedTool {
  const known = listedTools.get(entry);
  if (known?.proxies === proxies && known.located.app === app) return known.located;
  // Checked to be one when the list was read; what else it has stays.
  const listed = entry.definition as unknown as ListedTool;
  const terms = proxies.termsOf(app, entry.upstreamName);
  const ruled = ruledTool(terms, () => listed);
  const located: ProxiedTool = {
    kind: "proxy",
    tool: entry,
    listed: shownTool(ruled, () => listed),
    app,
    ...terms,
    ...ruled,
    ...(app.pins && { pin: lazy(() => entry.version ?? toolVersion(entry.upstreamName, entry.definition)) }),
  };
  listedTools.set(entry, { proxies, located });
  return located;
}

/** A tool of which nothing but the name is known. */
export function namedProxiedTool(
  app: McpProxyAppConfiguration,
  { name, upstreamName }: Pick<UpstreamTool, "name" | "upstreamName">,
  proxies: Proxies,
): ProxiedTool {
  const inputSchema = { type: "object" };
  const terms = proxies.termsOf(app, upstreamName);
  return {
    kind: "proxy",
    tool: { name, localName: upstreamName, annotations: {} },
    listed: () => ({ name, inputSchema, annotations: {} }),
    app,
    ...terms,
    ...ruledTool(terms, () => undefined),
  };
}
