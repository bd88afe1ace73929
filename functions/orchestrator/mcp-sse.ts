import type { McpSseConfiguration } from "../../lib/config/configuration.ts";
import { type ConnectPorts, createSseConnection } from "../../lib/mcp/sse/connect.ts";
import { createSseMessages, type SseMessagePorts } from "../../lib/mcp/sse/messages.ts";
import type { Handler } from "../env.ts";

/** Every method of `mcpProvider.transports.sse.path`. */
export function mcpSse(sse: McpSseConfiguration, gateway: ConnectPorts): Handler {
  const endpoint = createSseConnection(sse, gateway);
  return (c) => endpoint(c.req.raw, c.get("request"));
}

/** Every method of `mcpProvider.transports.sse.messagePath`. */
export function mcpSseMessages(sse: McpSseConfiguration, gateway: SseMessagePorts): Handler {
  const endpoint = createSseMessages(sse, gateway);
  return (c) => endpoint(c.req.raw, c.get("request"));
}
