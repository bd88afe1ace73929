import type {
  McpAppConfiguration,
  McpProxyAppConfiguration,
  TokenExchangeConfiguration,
} from "../config/app-configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import type { McpServer, Tool, ToolList } from "../management/schemas/tools.ts";
import { DEFAULT_TTL, type ExchangeTerms } from "./credentials/terms.ts";
import { createOrganizationOf } from "./organization.ts";
import { type BridgedTool, bridgeApps, createToolIndex, mcpApps, proxyApps } from "./tool-index.ts";

/** Built once a configuration; the result tells what the apps of an organization offer, and the operations that became no tool. */
export function createOrganizationTools(dependencies: Dependencies): (organizationId: string) => Promise<ToolList> {
  const { apps } = dependencies.configuration().configuration;
  const tools = [...createToolIndex(apps).values()];
  const organizationOf = createOrganizationOf(dependencies);
  return async (organizationId) => {
    const own: McpAppConfiguration[] = [];
    for (const app of mcpApps(apps)) if ((await organizationOf(app)) === organizationId) own.push(app);
    return {
      items: tools.filter(({ app }) => own.includes(app)).map(represent),
      servers: proxyApps(own).map(server),
      leftOut: bridgeApps(own).flatMap(({ name, catalog }) =>
        catalog.leftOut.map(({ localName: _, ...operation }) => ({ app: name, ...operation })),
      ),
    };
  };
}

function server({
  name,
  url,
  namespace,
  include,
  exclude,
  inboundTools,
  outbound,
}: McpProxyAppConfiguration): McpServer {
  return {
    app: name,
    origin: new URL(url).origin,
    namespace,
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
    inbound: inboundTools,
    ...(outbound.type === "tokenExchange" && { exchange: serverExchange(outbound) }),
  };
}

function serverExchange({ mode, audience, tools }: TokenExchangeConfiguration): McpServer["exchange"] {
  return {
    mode,
    audience,
    ttl: inSeconds(DEFAULT_TTL),
    tools: tools.map(({ name, scopes, ttl }) => ({ name, scopes, ttl: inSeconds(ttl) })),
  };
}

function represent({ tool, app, scopes, terms }: BridgedTool): Tool {
  return {
    name: tool.name,
    localName: tool.localName,
    app: app.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    method: tool.method,
    path: tool.path,
    scopes,
    ...(terms !== undefined && { exchange: toolExchange(terms) }),
    annotations: tool.annotations,
  };
}

function toolExchange({ mode, audience, scopes, ttl }: ExchangeTerms): Tool["exchange"] {
  return { mode, audience, scopes, ttl: inSeconds(ttl) };
}

function inSeconds(milliseconds: number): number {
  return milliseconds / 1_000;
}
