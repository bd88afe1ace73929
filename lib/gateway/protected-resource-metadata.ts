import type { McpEndpointConfiguration } from "../config/configuration.ts";
import { mcpEndpoints } from "../config/mcp-endpoints.ts";
import type { WaitUntil } from "../health/kept.ts";
import { resourceMetadataPath } from "../http/well-known.ts";
import type { Gateway } from "./gateway.ts";
import { issuerOf } from "./inbound/trusted-servers.ts";

/** RFC 9728 §2. */
export interface ProtectedResourceMetadata {
  /** The exact MCP URL: clients compare it by its text. */
  readonly resource: string;
  readonly resource_name: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
}

/** A server that cannot be asked for its issuer is named by the one that its address stands for. */
export async function protectedResourceMetadata(
  { resource }: McpEndpointConfiguration,
  { mcpProvider, servers, scopes }: Gateway,
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
  mcpProvider: Gateway["mcpProvider"],
): readonly [string, ...string[]] {
  const own = resourceMetadataPath(endpoint.path);
  const isFirst = mcpEndpoints(mcpProvider)[0] === endpoint;
  const { metadataPath } = mcpProvider.oauth;
  return isFirst && metadataPath !== own ? [metadataPath, own] : [own];
}

/** Where a challenge of the endpoint sends its clients (RFC 9728 §5.1). */
export function resourceMetadataURL(
  endpoint: McpEndpointConfiguration,
  { mcpProvider, publicURL }: Pick<Gateway, "mcpProvider" | "publicURL">,
): string {
  return publicURL + resourceMetadataPaths(endpoint, mcpProvider)[0];
}
