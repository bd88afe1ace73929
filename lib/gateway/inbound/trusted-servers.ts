import type { AuthorizationServerPorts } from "../../authorization-server/ports.ts";
import { activeToken } from "../../authorization-server/tokens/access-token.ts";
import type { McpAuthorizationServer, OidcProviderConfiguration } from "../../config/configuration.ts";
import type { Component } from "../../health/component.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import { issuerFromWellKnown } from "../../protocol/oauth/issuer.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { type AuthorizationServer, createAuthorizationServer, type ServerPorts } from "./authorization-server.ts";
import { type Authentication, accepted, identityFromClaims, refused } from "./claims.ts";
import { createIdentityCache, type IdentityCache } from "./identity-cache.ts";
import { createRemoteIntrospection, type RemoteIntrospection } from "./remote-introspection.ts";

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
  ports: ServerPorts & OwnTokenPorts,
  former: readonly TrustedServer[] = [],
): readonly TrustedServer[] {
  return servers.map((settings) => {
    const known = former.find((server) => isSameDocument(server.settings, settings));
    const server = {
      ...(known === undefined ? createAuthorizationServer(settings, ports) : { ...known, settings }),
      validated: createIdentityCache(ports.clock, VALIDATED),
    };
    if (oidcProvider === undefined || !isOwnServer(settings, oidcProvider)) {
      return { ...server, ownIssuer: undefined, introspect: createRemoteIntrospection(server, ports) };
    }
    const { issuer } = oidcProvider;
    const introspect: RemoteIntrospection = (token) => authenticateOwnToken(token, settings, issuer, ports);
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

/** A server as health sees it: it is up once everything is known that tokens of its method are checked with. */
function serverComponent({ settings, expectedIssuer, metadata, keys }: AuthorizationServer): Component {
  const needsKeys = settings.method !== "introspection";
  const areKeysDue = () => needsKeys && metadata.isFresh() && keys.isDue();
  return {
    name: `authorization-server:${nameOf(expectedIssuer ?? settings.wellKnownEndpoint)}`,
    status: () => (needsKeys && metadata.status() === "up" ? keys.status() : metadata.status()),
    isDue: () => metadata.isDue() || areKeysDue(),
    async attempt(signal) {
      if (metadata.isDue()) await metadata.attempt(signal);
      // What was just read tells where the keys are; without it nothing would be gained by looking for them.
      if (areKeysDue()) await keys.attempt(signal);
    },
  };
}

/** Host and path: issuers are public, other addresses may hold secrets in their query. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname.replace(/\/$/, "");
}

/** What it takes to look up a token of this instance. */
type OwnTokenPorts = Pick<AuthorizationServerPorts, "stores" | "clock" | "configuration" | "keyRing" | "clientIds">;

/**
 * A token of this very instance, opaque or JWT: checked against its chain in the instance's own store with every call, never
 * over HTTP and never from a cache.
 */
async function authenticateOwnToken(
  token: string,
  server: McpAuthorizationServer,
  issuer: string,
  ports: OwnTokenPorts,
): Promise<Authentication> {
  const record = await activeToken(token, ports);
  if (record === undefined) return refused("inactive");
  if (!server.expectedAudiences.includes(record.audience)) return refused("wrong_audience");
  const result = identityFromClaims(claimsOf(record, issuer), issuer);
  if (result.outcome !== "accepted") return result;
  const { organizationId, memberId, trialBy, tokenId, issuedAt, expiresAt } = record;
  return accepted({
    ...result.identity,
    ...(organizationId !== undefined && { organizationId }),
    ...(memberId !== undefined && { memberId }),
    ...(trialBy !== undefined && { trialBy }),
    record,
    tokenId,
    issuedAt,
    expiresAt,
  });
}

/** As introspection tells them (RFC 7662 §2.2). */
function claimsOf(record: TokenRecord, issuer: string): JsonObject {
  const { clientId, subject, audience, scopes, tokenId, issuedAt, expiresAt, claims } = record;
  return {
    ...claims,
    iss: issuer,
    sub: subject,
    aud: audience,
    client_id: clientId,
    scope: scopes.join(" "),
    jti: tokenId,
    iat: Math.floor(issuedAt / 1_000),
    exp: Math.floor(expiresAt / 1_000),
  };
}

/** A configured server that is this very instance: its tokens are looked up in process. */
export function isOwnServer(server: McpAuthorizationServer, own: OidcProviderConfiguration): boolean {
  const { wellKnownEndpoint } = server;
  return wellKnownEndpoint === own.endpoints.wellKnown || issuerFromWellKnown(wellKnownEndpoint) === own.issuer;
}
