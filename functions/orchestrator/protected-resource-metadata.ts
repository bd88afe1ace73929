import type { McpEndpointConfiguration } from "../../lib/config/configuration.ts";
import {
  protectedResourceMetadata as metadataOf,
  type ResourceMetadataPorts,
} from "../../lib/gateway/protected-resource-metadata.ts";
import type { Handler } from "../env.ts";

/** GET the protected resource metadata (RFC 9728 §3) of one MCP endpoint. */
export function protectedResourceMetadata(endpoint: McpEndpointConfiguration, gateway: ResourceMetadataPorts): Handler {
  return async (c) =>
    c.json(await metadataOf(endpoint, gateway, c.get("request").waitUntil), 200, { "Cache-Control": "max-age=300" });
}
