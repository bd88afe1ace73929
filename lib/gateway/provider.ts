import type { Configuration, McpProviderConfiguration } from "../config/configuration.ts";

/** The gateway's configuration. Its endpoints are mounted only where it exists, so absence is a defect. */
export function mcpProviderOf(configuration: Configuration): McpProviderConfiguration {
  if (configuration.mcpProvider === undefined) throw new Error("mcpProvider is not configured");
  return configuration.mcpProvider;
}
