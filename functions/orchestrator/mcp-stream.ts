import type { McpStreamConfiguration } from "../../lib/config/configuration.ts";
import type { Gateway } from "../../lib/gateway/gateway.ts";
import { createMcpStream } from "../../lib/mcp/stream.ts";
import type { Handler } from "../env.ts";

/** Every method of `mcpProvider.transports.stream.path`. */
export function mcpStream(stream: McpStreamConfiguration, gateway: Gateway): Handler {
  const endpoint = createMcpStream(stream, gateway);
  return (c) => endpoint(c.req.raw, c.get("request"));
}
