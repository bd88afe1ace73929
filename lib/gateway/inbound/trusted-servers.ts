import type { McpAuthorizationServer, OidcProviderConfiguration } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Component } from "../../health/component.ts";
import type { WaitUntil } from "../../health/kept.ts";
import { type AuthorizationServer, createAuthorizationServer } from "./authorization-server.ts";
import { createIdentityCache, type IdentityCache } from "./identity-cache.ts";
import { isOwnServer } from "./own-server.ts";
import { authenticateOwnToken } from "./own-token.ts";
import { createRemoteIntrospection, type RemoteIntrospection } from "./remote-introspection.ts";
import { serverComponent } from "./server-component.ts";

/** A configured server and how to ask it about a token. */
export interface TrustedServer extends AuthorizationServer {
  /** The issuer when this server is the instance itself. */
  readonly ownIssuer: string | undefined;
  readonly introspect: RemoteIntrospection;
  /** JWTs that were validated with the settings of this server. */
  readonly validated: IdentityCache;
}

/** A validated JWT takes about 2 kB. */
const VALIDATED = 2_000;

/**
 * Keeps what is learnt of the servers, so there is one of it for a configuration.
 *
 * @param former those of the configuration before: what was learnt of a server stays known
 */
export function createTrustedServers(
  servers: readonly McpAuthorizationServer[],
  oidcProvider: OidcProviderConfiguration | undefined,
  dependencies: Dependencies,
  former: readonly TrustedServer[] = [],
): readonly TrustedServer[] {
  return servers.map((settings) => {
    const known = former.find((server) => isSameDocument(server.settings, settings));
    const server = {
      ...(known === undefined ? createAuthorizationServer(settings, dependencies) : { ...known, settings }),
      validated: createIdentityCache(dependencies.clock, VALIDATED),
    };
    if (oidcProvider === undefined || !isOwnServer(settings, oidcProvider)) {
      return { ...server, ownIssuer: undefined, introspect: createRemoteIntrospection(server, dependencies) };
    }
    const { issuer } = oidcProvider;
    const introspect: RemoteIntrospection = (token) => authenticateOwnToken(token, settings, issuer, dependencies);
    return { ...server, ownIssuer: issuer, introspect };
  });
}

/** Those that have to be asked: the instance itself is looked up in process. */
export function serverComponents(servers: readonly TrustedServer[]): readonly Component[] {
  return servers.filter(({ ownIssuer }) => ownIssuer === undefined).map(serverComponent);
}

/** The issuer that the server's discovery document names; undefined when it could not be read. */
export async function issuerOf(server: TrustedServer, waitUntil: WaitUntil): Promise<string | undefined> {
  return server.ownIssuer ?? (await server.metadata.get(waitUntil))?.issuer;
}

/** What is read from both is the same, and as often. */
function isSameDocument(one: McpAuthorizationServer, other: McpAuthorizationServer): boolean {
  return (
    one.wellKnownEndpoint === other.wellKnownEndpoint &&
    one.refreshInterval === other.refreshInterval &&
    one.method === other.method
  );
}
