import type { McpEndpointConfiguration, McpProviderConfiguration } from "../config/configuration.ts";
import { mcpEndpoints } from "../config/endpoints.ts";
import type { WaitUntil } from "../kernel/refreshing-cache.ts";
import { resourceMetadataPath } from "../protocol/http/well-known.ts";
import { issuerOf, type TrustedServer } from "./inbound/trusted-servers.ts";

/** RFC 9728 §2. */
export interface ProtectedResourceMetadata {
  /** The exact MCP URL: clients compare it by its text. */
  readonly resource: string;
  readonly resource_name: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
}

export interface ResourceURLPorts {
  readonly mcpProvider: McpProviderConfiguration;
  readonly publicURL: string;
}

export interface ResourceMetadataPorts extends Pick<ResourceURLPorts, "mcpProvider"> {
  readonly servers: readonly TrustedServer[];
  /** Every scope that some tool needs. */
  readonly scopes: readonly string[];
}

/** A server that cannot be asked for its issuer is named by the one that its address stands for. */
export async function protectedResourceMetadata(
  { resource }: McpEndpointConfiguration,
  { mcpProvider, servers, scopes }: ResourceMetadataPorts,
  waitUntil: WaitUntil,
): Promise<ProtectedResourceMetadata> {
  const issuers = await Promise.all(
    servers.map(async (server) => (await issuerOf(server, waitUntil)) ?? server.expectedIssuer),
  );
  return {
    resource,
    resource_name: mcpProvider.serverName,
    authorization_servers: [...new Set(issuers.filter((issuer) => issuer !== undefined))],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
  };
}

/** Paths of an endpoint's metadata: the configured one is that of the first endpoint, RFC 9728 §3.1 gives each its own. */
export function resourceMetadataPaths(
  endpoint: McpEndpointConfiguration,
  mcpProvider: McpProviderConfiguration,
): readonly [string, ...string[]] {
  const own = resourceMetadataPath(endpoint.path);
  const isFirst = mcpEndpoints(mcpProvider)[0] === endpoint;
  const { metadataPath } = mcpProvider.oauth;
  return isFirst && metadataPath !== own ? [metadataPath, own] : [own];
}

/** Where a challenge of the endpoint sends its clients (RFC 9728 §5.1). */
export function resourceMetadataURL(
  endpoint: McpEndpointConfiguration,
  { mcpProvider, publicURL }: ResourceURLPorts,
): string {
  return publicURL + resourceMetadataPaths(endpoint, mcpProvider)[0];
}
