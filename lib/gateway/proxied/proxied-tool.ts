import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { UpstreamTool } from "../../proxy/catalog/upstream-list.ts";
import type { ListedTool } from "../listed-tool.ts";
import type { ProxiedTool } from "../tool-index.ts";
import type { Proxies } from "./proxies.ts";

/** A tool that an upstream lists. */
export function listedProxiedTool(app: McpProxyAppConfiguration, entry: UpstreamTool, proxies: Proxies): ProxiedTool {
  return {
    kind: "proxy",
    tool: entry,
    // Checked to be one when the list was read; what else it has stays.
    listed: () => entry.definition as unknown as ListedTool,
    app,
    ...proxies.termsOf(app, entry.upstreamName),
  };
}

/** A tool of which nothing but the name is known. */
export function namedProxiedTool(
  app: McpProxyAppConfiguration,
  { name, upstreamName }: Pick<UpstreamTool, "name" | "upstreamName">,
  proxies: Proxies,
): ProxiedTool {
  const inputSchema = { type: "object" };
  return {
    kind: "proxy",
    tool: { name, localName: upstreamName, annotations: {} },
    listed: () => ({ name, inputSchema, annotations: {} }),
    app,
    ...proxies.termsOf(app, upstreamName),
  };
}
