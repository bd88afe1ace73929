import type { Configuration, McpProviderConfiguration } from "../config/configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import { createAuthorizationServer } from "./inbound/authorization-server.ts";
import { isOwnServer } from "./inbound/issuer.ts";
import type { WaitUntil } from "./inbound/kept.ts";
import { allScopes, createToolIndex } from "./tool-index.ts";

/** RFC 9728 §2. */
export interface ProtectedResourceMetadata {
  /** The exact MCP URL: clients compare it by its text. */
  readonly resource: string;
  readonly resource_name: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
}

/** Built once a configuration; keeps the issuers that the servers' discovery documents name. */
export function createProtectedResourceMetadata(
  configuration: Configuration,
  mcpProvider: McpProviderConfiguration,
  dependencies: Dependencies,
): (waitUntil: WaitUntil) => Promise<ProtectedResourceMetadata> {
  const issuers = issuerReaders(configuration, mcpProvider, dependencies);
  const scopes = allScopes(createToolIndex(configuration.apps));
  return async (waitUntil) => {
    const named = await Promise.all(issuers.map((issuer) => issuer(waitUntil)));
    return {
      resource: mcpProvider.resource,
      resource_name: mcpProvider.serverName,
      authorization_servers: [...new Set(named.filter((issuer) => issuer !== undefined))],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
    };
  };
}

function issuerReaders(
  { oidcProvider }: Configuration,
  { oauth }: McpProviderConfiguration,
  dependencies: Dependencies,
): ((waitUntil: WaitUntil) => Promise<string | undefined>)[] {
  return oauth.servers.map((settings) => {
    if (oidcProvider !== undefined && isOwnServer(settings, oidcProvider)) return async () => oidcProvider.issuer;
    const { metadata, likelyIssuer } = createAuthorizationServer(settings, dependencies);
    return async (waitUntil) => (await metadata.get(waitUntil))?.issuer ?? likelyIssuer;
  });
}
