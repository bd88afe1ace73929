import type { McpStreamConfiguration } from "../../lib/config/configuration.ts";
import { createMcpStream, type StreamEndpointPorts } from "../../lib/mcp/stream.ts";
import type { Handler } from "../env.ts";

/** Every method of `mcpProvider.transports.stream.path`. */
export function mcpStream(stream: McpStreamConfiguration, gateway: StreamEndpointPorts): Handler {
  const endpoint = createMcpStream(stream, gateway);
  return (c) => endpoint(c.req.raw, c.get("request"));
}
