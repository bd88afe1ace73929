import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { Gateway } from "../gateway.ts";
import type { Identity } from "../identity.ts";
import { isVisible } from "../visible-app.ts";

/** The apps with upstream MCP servers that exist for an agent (D32), in the order of the configuration. */
export async function visibleProxies(
  identity: Identity | undefined,
  gateway: Pick<Gateway, "proxies" | "organizationOf">,
): Promise<readonly McpProxyAppConfiguration[]> {
  const { apps } = gateway.proxies;
  const visible = await Promise.all(apps.map((app) => isVisible(app, identity, gateway)));
  return apps.filter((_, index) => visible[index]);
}
