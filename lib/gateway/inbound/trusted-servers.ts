import type { McpAuthorizationServer, OidcProviderConfiguration } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { type AuthorizationServer, createAuthorizationServer } from "./authorization-server.ts";
import { isOwnServer } from "./issuer.ts";
import type { WaitUntil } from "./kept.ts";
import { authenticateOwnToken } from "./own-token.ts";
import { createRemoteIntrospection, type RemoteIntrospection } from "./remote-introspection.ts";

/** A configured server and how to ask it about a token. */
export interface TrustedServer extends AuthorizationServer {
  /** The issuer when this server is the instance itself. */
  readonly ownIssuer: string | undefined;
  readonly introspect: RemoteIntrospection;
}

/** Keeps what is learnt of the servers, so there is one of it for a configuration. */
export function createTrustedServers(
  servers: readonly McpAuthorizationServer[],
  oidcProvider: OidcProviderConfiguration | undefined,
  dependencies: Dependencies,
): readonly TrustedServer[] {
  return servers.map((settings) => {
    const server = createAuthorizationServer(settings, dependencies);
    if (oidcProvider === undefined || !isOwnServer(settings, oidcProvider)) {
      return { ...server, ownIssuer: undefined, introspect: createRemoteIntrospection(server, dependencies) };
    }
    const { issuer } = oidcProvider;
    const introspect: RemoteIntrospection = (token) => authenticateOwnToken(token, settings, issuer, dependencies);
    return { ...server, ownIssuer: issuer, introspect };
  });
}

/** The issuer that the server's discovery document names; undefined when it could not be read. */
export async function issuerOf(server: TrustedServer, waitUntil: WaitUntil): Promise<string | undefined> {
  return server.ownIssuer ?? (await server.metadata.get(waitUntil))?.issuer;
}
