import type { McpEndpointConfiguration, McpProviderConfiguration } from "./configuration.ts";

/** Where agents connect; the recommended transport first. */
export function mcpEndpoints({
  stream,
  sse,
}: Pick<McpProviderConfiguration, "stream" | "sse">): readonly McpEndpointConfiguration[] {
  return [stream, sse].filter((endpoint) => endpoint !== undefined);
}
