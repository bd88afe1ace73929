import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { Gateway } from "./gateway.ts";
import type { Identity } from "./identity.ts";

/**
 * Whether the tools of an app exist for an agent (D32). A token of this instance carries the organization of its agent,
 * which sees the apps of that organization. Tokens of other issuers carry none that we could believe: their agents see
 * the apps that the configuration gives to no organization, which are the instance's first one's. Where the
 * configuration asks for no authorization, nobody is told apart and everything is visible.
 */
export async function isVisible(
  app: McpAppConfiguration,
  identity: Identity | undefined,
  { organizationOf }: Pick<Gateway, "organizationOf">,
): Promise<boolean> {
  if (identity === undefined) return true;
  if (identity.organizationId === undefined) return app.organization === undefined;
  return (await organizationOf(app)) === identity.organizationId;
}

/** Those of the apps whose tools exist for an agent. */
export async function visibleApps(
  apps: Iterable<McpAppConfiguration>,
  identity: Identity | undefined,
  gateway: Pick<Gateway, "organizationOf">,
): Promise<ReadonlySet<McpAppConfiguration>> {
  const visible = new Set<McpAppConfiguration>();
  for (const app of apps) if (await isVisible(app, identity, gateway)) visible.add(app);
  return visible;
}
