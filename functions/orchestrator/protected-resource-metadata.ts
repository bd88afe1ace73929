import type { Gateway } from "../../lib/gateway/gateway.ts";
import { protectedResourceMetadata as metadataOf } from "../../lib/gateway/protected-resource-metadata.ts";
import type { Handler } from "../env.ts";

/** GET the protected resource metadata (RFC 9728 §3), at the configured path and at the one derived from the MCP URL. */
export function protectedResourceMetadata(gateway: Gateway): Handler {
  return async (c) =>
    c.json(await metadataOf(gateway, c.get("request").waitUntil), 200, { "Cache-Control": "max-age=300" });
}
