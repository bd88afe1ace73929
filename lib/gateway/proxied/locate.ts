import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { isPlainName } from "../../kernel/plain-name.ts";
import { isStatelessRevision } from "../../protocol/mcp/revisions.ts";
import { isOffered } from "../../upstream/catalog/offered.ts";
import { mayOwn, ownName } from "../../upstream/names/namespaced.ts";
import { sessionAt } from "../../upstream/session/kept-session.ts";
import { callableProxied } from "../invoke-proxied.ts";
import type { ToolCall } from "../tool-call.ts";
import type { CallableTool } from "../tool-index.ts";
import type { ProxyPorts } from "./ask.ts";
import { callableConnectTool } from "./connect-tool.ts";
import { findNamed } from "./find-listed.ts";
import { listedProxiedTool, namedProxiedTool } from "./proxied-tools.ts";
import { visibleProxies } from "./proxies.ts";
import { upstreamPrincipal } from "./reach-upstream.ts";

/** Characters; no list has longer ones. */
const LONGEST_NAME = 1_000;

/**
 * The upstream's tool that an agent names, which its list has (D164). Mostly the name alone says whose list that is. Where names
 * were cut, or several apps without a namespace may be meant, the first app whose list has it wins. Of an upstream that does not
 * say what it has, the tool fails with the reason when it is invoked: it is decided on and recorded as others are.
 */
export async function locateProxied(call: ToolCall, ports: ProxyPorts): Promise<CallableTool | undefined> {
  const { apps } = ports.proxies;
  if (apps.length === 0 || !mayBeListed(call.name)) return undefined;
  const visible = await visibleProxies(call.identity, ports);
  const owners = mayOwn(visible, call.name);
  const named = await byName(call.name, owners);
  const asked = named.length > 0 ? named : owners.map((app) => ({ app, upstreamName: call.name }));
  const looked = await Promise.all(
    asked.map(async (tool) => {
      const looking = { app: tool.app, caller: call, ports };
      return { tool, found: await findNamed("tools", call.name, looking, isTold(tool.app, call, ports)) };
    }),
  );
  for (const { tool, found } of looked)
    if (found.kind === "listed") return callableProxied(listedProxiedTool(tool.app, found.entry, ports.proxies), ports);
  for (const app of owners) {
    const connecting = callableConnectTool(app, call.name);
    if (connecting !== undefined) return connecting;
  }
  for (const { tool, found } of looked) {
    if (found.kind !== "untold" || named.length === 0) continue;
    const { app, upstreamName } = tool;
    const unlisted = namedProxiedTool(app, { name: call.name, upstreamName }, ports.proxies);
    return callableProxied(unlisted, ports, found);
  }
  return undefined;
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

function mayBeListed(name: string): boolean {
  return name.length <= LONGEST_NAME && isPlainName(name);
}

/** The tools of the apps' servers that a name may stand for. Of names that were cut only a list knows. */
export async function namedTools(
  name: string,
  apps: readonly McpProxyAppConfiguration[],
): Promise<readonly NamedTool[]> {
  return mayBeListed(name) ? byName(name, mayOwn(apps, name)) : [];
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
