import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { isStatelessRevision } from "../../mcp/revisions.ts";
import { isOffered } from "../../proxy/catalog/offered.ts";
import { ownName } from "../../proxy/names/namespaced.ts";
import { mayOwn } from "../../proxy/names/owned.ts";
import { sessionAt } from "../../proxy/session/bound.ts";
import type { Gateway, ToolCall } from "../gateway.ts";
import type { ProxiedTool } from "../tool-index.ts";
import { listsOf } from "./lists.ts";
import { listedProxiedTool, namedProxiedTool } from "./proxied-tool.ts";
import { upstreamPrincipal } from "./upstream-principal.ts";
import { visibleProxies } from "./visible-proxies.ts";

/** Characters; no list has longer ones. */
const LONGEST_NAME = 1_000;

/**
 * The upstream's tool that an agent names. Mostly the name alone says whose tool it is: then nothing is asked, and the upstream
 * tells of a tool that it does not have. Where names were cut, or several apps without a namespace may be meant, their lists decide;
 * the first app that has the tool wins.
 */
export async function locateProxied(call: ToolCall, gateway: Gateway): Promise<ProxiedTool | undefined> {
  const { apps } = gateway.proxies;
  if (apps.length === 0 || call.name.length > LONGEST_NAME) return undefined;
  const visible = await visibleProxies(call.identity, gateway);
  const owners = mayOwn(visible, call.name);
  const named = await byName(call.name, owners);
  const [only] = named.length === 1 ? named : [];
  if (only !== undefined) return knownTool(only, call, gateway);
  const asked = named.length > 0 ? named.map(({ app }) => app) : owners;
  const lists = await listsOf("tools", asked, call, gateway);
  const [listed] = lists.flatMap(({ app, list }) => {
    const entry = list.byName.get(call.name);
    return entry === undefined ? [] : [listedProxiedTool(app, entry, gateway.proxies)];
  });
  const [likely] = named;
  return listed ?? (likely && namedProxiedTool(likely.app, { ...likely, name: call.name }, gateway.proxies));
}

/** Requests of the stateless generation repeat arguments in headers: which ones, the list tells. */
async function knownTool(named: NamedTool, call: ToolCall, gateway: Gateway): Promise<ProxiedTool> {
  const { app, upstreamName } = named;
  const [own] = isTold(app, call, gateway) ? await listsOf("tools", [app], call, gateway) : [];
  const entry = own?.list.byName.get(call.name);
  return entry === undefined
    ? namedProxiedTool(app, { name: call.name, upstreamName }, gateway.proxies)
    : listedProxiedTool(app, entry, gateway.proxies);
}

/** Also of an agent with a session, as far as it is known that the upstream has none. */
function isTold(app: McpProxyAppConfiguration, { agent, identity }: ToolCall, { proxies }: Gateway): boolean {
  const { name, transport } = app;
  if (agent.generation === "stateless") return true;
  if (transport === "sse") return false;
  const principal = upstreamPrincipal(app, identity);
  const kept = sessionAt(agent.session?.record.upstreams, { app, principal });
  if (kept !== undefined && isStatelessRevision(kept.protocolVersion)) return true;
  return proxies.generations.known(name, principal, agent.generation) === "stateless";
}

interface NamedTool {
  readonly app: McpProxyAppConfiguration;
  readonly upstreamName: string;
}

/** The tools that the name may stand for, as far as the configuration offers them. */
async function byName(name: string, apps: readonly McpProxyAppConfiguration[]): Promise<readonly NamedTool[]> {
  const named = await Promise.all(apps.map(async (app) => ({ app, upstreamName: await ownName(app.namespace, name) })));
  return named.filter(
    (tool): tool is NamedTool => tool.upstreamName !== undefined && isOffered(tool.app, tool.upstreamName),
  );
}
