import { createProtectedResourceMetadata } from "../../lib/gateway/protected-resource-metadata.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { Endpoint } from "../env.ts";

/** GET the protected resource metadata (RFC 9728 §3), at the configured path and at the one derived from the MCP URL. */
export const protectedResourceMetadata: Endpoint = (dependencies) => {
  const { configuration } = dependencies.configuration();
  const { mcpProvider } = configuration;
  if (mcpProvider === undefined) throw new ProblemError("internal", "The MCP provider is not configured.");
  const metadata = createProtectedResourceMetadata(configuration, mcpProvider, dependencies);
  return async (c) => c.json(await metadata(c.get("request").waitUntil), 200, { "Cache-Control": "max-age=300" });
};
