import type { McpAuthorizationServer, OidcProviderConfiguration } from "../../config/configuration.ts";

const APPENDED = "/.well-known/openid-configuration";
const INSERTED = "/.well-known/oauth-authorization-server";

/**
 * The issuer whose discovery document stands at this address: OpenID Connect Discovery appends its path to the issuer,
 * RFC 8414 §3 puts its own between host and path. Undefined for any other address.
 */
export function issuerFromWellKnown(wellKnownEndpoint: string): string | undefined {
  const { origin, pathname } = new URL(wellKnownEndpoint);
  if (pathname.endsWith(APPENDED)) return origin + pathname.slice(0, -APPENDED.length);
  if (pathname.startsWith(INSERTED)) return origin + pathname.slice(INSERTED.length);
  return undefined;
}

/** A configured server that is this very instance: its tokens are looked up in process. */
export function isOwnServer(server: McpAuthorizationServer, own: OidcProviderConfiguration): boolean {
  const { wellKnownEndpoint } = server;
  return wellKnownEndpoint === own.endpoints.wellKnown || issuerFromWellKnown(wellKnownEndpoint) === own.issuer;
}

/** Issuers are compared by their text; only a slash at the end of a bare origin may differ from the address. */
export function isLikelySame(likely: string | undefined, issuer: string): boolean {
  return likely !== undefined && (likely === issuer || `${likely}/` === issuer);
}
