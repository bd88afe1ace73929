import type { WaitUntil } from "../health/kept.ts";
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
  { mcpProvider, servers, scopes }: Gateway,
  waitUntil: WaitUntil,
): Promise<ProtectedResourceMetadata> {
  const issuers = await Promise.all(
    servers.map(async (server) => (await issuerOf(server, waitUntil)) ?? server.expectedIssuer),
  );
  return {
    resource: mcpProvider.resource,
    resource_name: mcpProvider.serverName,
    authorization_servers: [...new Set(issuers.filter((issuer) => issuer !== undefined))],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
  };
}
