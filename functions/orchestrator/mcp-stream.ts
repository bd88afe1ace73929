import type { Gateway } from "../../lib/gateway/gateway.ts";
import { createMcpStream } from "../../lib/mcp/stream.ts";
import type { Handler } from "../env.ts";

/** Every method of `mcpProvider.transports.stream.path`. */
export function mcpStream(gateway: Gateway): Handler {
  const stream = createMcpStream(gateway);
  return (c) => stream(c.req.raw, c.get("request"));
}
