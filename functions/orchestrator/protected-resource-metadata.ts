import type { McpEndpointConfiguration } from "../../lib/config/configuration.ts";
import type { Gateway } from "../../lib/gateway/gateway.ts";
import { protectedResourceMetadata as metadataOf } from "../../lib/gateway/protected-resource-metadata.ts";
import type { Handler } from "../env.ts";

/** GET the protected resource metadata (RFC 9728 §3) of one MCP endpoint. */
export function protectedResourceMetadata(endpoint: McpEndpointConfiguration, gateway: Gateway): Handler {
  return async (c) =>
    c.json(await metadataOf(endpoint, gateway, c.get("request").waitUntil), 200, { "Cache-Control": "max-age=300" });
}
