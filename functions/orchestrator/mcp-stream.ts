import { createMcpStream } from "../../lib/mcp/stream.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { Endpoint } from "../env.ts";

/** Every method of `mcpProvider.transports.stream.path`. */
export const mcpStream: Endpoint = (dependencies) => {
  const { configuration } = dependencies.configuration();
  const { mcpProvider } = configuration;
  if (mcpProvider === undefined) throw new ProblemError("internal", "The MCP provider is not configured.");
  const stream = createMcpStream(configuration, mcpProvider, dependencies);
  return (c) => stream(c.req.raw, c.get("request"));
};
