import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { Upstream } from "../management/schemas/upstreams.ts";
import type { Gateway } from "./gateway.ts";
import { mcpApps } from "./tool-index.ts";

/** The upstreams of an organization's apps. What no call was sent to since this instance started is unknown. */
export async function organizationUpstreams(gateway: Gateway, organizationId: string): Promise<readonly Upstream[]> {
  const { apps } = gateway.dependencies.configuration().configuration;
  const upstreams: Upstream[] = [];
  for (const app of mcpApps(apps)) {
    if ((await gateway.organizationOf(app)) === organizationId) upstreams.push(upstreamOf(app, gateway));
  }
  return upstreams;
}

function upstreamOf(app: McpAppConfiguration, { upstreams, proxies }: Gateway): Upstream {
  if (app.type === "mcpBridge") {
    return { app: app.name, type: "bridge", origin: new URL(app.baseURL).origin, state: upstreams.state(app.name) };
  }
  const origin = new URL(app.url).origin;
  const guarded = proxies.guard.states().find((state) => state.app === app.name);
  if (guarded === undefined) return { app: app.name, type: "proxy", origin, state: "unknown" };
  if (guarded.failures === 0) return { app: app.name, type: "proxy", origin, state: "up" };
  return { app: app.name, type: "proxy", origin, state: "down", reason: REASONS[guarded.state] };
}

const REASONS = {
  closed: "The latest request was not answered.",
  open: "Requests are held back, as it does not answer.",
  half_open: "It is being tried again.",
} as const;
