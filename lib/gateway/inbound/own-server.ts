import type { McpAuthorizationServer, OidcProviderConfiguration } from "../../config/configuration.ts";
import { issuerFromWellKnown } from "../../oauth/issuer.ts";

/** A configured server that is this very instance: its tokens are looked up in process. */
export function isOwnServer(server: McpAuthorizationServer, own: OidcProviderConfiguration): boolean {
  const { wellKnownEndpoint } = server;
  return wellKnownEndpoint === own.endpoints.wellKnown || issuerFromWellKnown(wellKnownEndpoint) === own.issuer;
}
