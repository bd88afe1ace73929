import { mcpEndpoints } from "../config/mcp-endpoints.ts";
import type { RequestContext } from "../dependencies.ts";
import type { Gateway } from "../gateway/gateway.ts";

/** Whether a gateway is served now that asks for tokens as this one does: a stream may be older than a change of settings (D150). */
export async function isStillServed(
  { dependencies, mcpProvider }: Pick<Gateway, "dependencies" | "mcpProvider">,
  { waitUntil }: RequestContext,
): Promise<boolean> {
  // Where nothing runs between requests, nobody else may be looking.
  await dependencies.gatewaySettings?.upToDate(waitUntil);
  const { mcpProvider: current } = dependencies.configuration().configuration;
  if (current === undefined || mcpEndpoints(current).length === 0) return false;
  return current.oauth.enabled === mcpProvider.oauth.enabled;
}
