import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { isPlainName } from "../../kernel/plain-name.ts";
import { isStatelessRevision } from "../../protocol/mcp/revisions.ts";
import { isOffered } from "../../upstream/catalog/offered.ts";
import { mayOwn, ownName } from "../../upstream/names/namespaced.ts";
import { sessionAt } from "../../upstream/session/kept-session.ts";
import { callableProxied } from "../invoke-proxied.ts";
import type { ToolCall } from "../tool-call.ts";
import type { CallableTool, ProxiedTool } from "../tool-index.ts";
import type { ProxyPorts } from "./ask.ts";
import { listsOf } from "./lists.ts";
import { listedProxiedTool, namedProxiedTool } from "./proxied-tools.ts";
import { visibleProxies } from "./proxies.ts";
import { upstreamPrincipal } from "./reach-upstream.ts";

/** Characters; no list has longer ones. */
const LONGEST_NAME = 1_000;

/**
 * The upstream's tool that an agent names. Mostly the name alone says whose tool it is: then nothing is asked, and the upstream
 * tells of a tool that it does not have. Where names were cut, or several apps without a namespace may be meant, their lists decide;
 * the first app that has the tool wins.
 */
export async function locateProxied(call: ToolCall, ports: ProxyPorts): Promise<CallableTool | undefined> {
  const located = await findProxied(call, ports);
  return located && callableProxied(located, ports);
}

async function findProxied(call: ToolCall, ports: ProxyPorts): Promise<ProxiedTool | undefined> {
  const { apps } = ports.proxies;
  if (apps.length === 0 || call.name.length > LONGEST_NAME || !isPlainName(call.name)) return undefined;
  const visible = await visibleProxies(call.identity, ports);
  const owners = mayOwn(visible, call.name);
  const named = await byName(call.name, owners);
  const [only] = named.length === 1 ? named : [];
  if (only !== undefined) return knownTool(only, call, ports);
  const asked = named.length > 0 ? named.map(({ app }) => app) : owners;
  const lists = await listsOf("tools", asked, call, ports);
  const [listed] = lists.flatMap(({ app, list }) => {
    const entry = list.byName.get(call.name);
    return entry === undefined ? [] : [listedProxiedTool(app, entry, ports.proxies)];
  });
  const [likely] = named;
  return listed ?? (likely && namedProxiedTool(likely.app, { ...likely, name: call.name }, ports.proxies));
}

/** Requests of the stateless generation repeat arguments in headers: which ones, the list tells. */
async function knownTool(named: NamedTool, call: ToolCall, ports: ProxyPorts): Promise<ProxiedTool> {
  const { app, upstreamName } = named;
  const [own] = isTold(app, call, ports) ? await listsOf("tools", [app], call, ports) : [];
  const entry = own?.list.byName.get(call.name);
  return entry === undefined
    ? namedProxiedTool(app, { name: call.name, upstreamName }, ports.proxies)
    : listedProxiedTool(app, entry, ports.proxies);
}

/** Also of an agent with a session, as far as it is known that the upstream has none. */
function isTold(app: McpProxyAppConfiguration, { agent, identity }: ToolCall, { proxies }: ProxyPorts): boolean {
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
