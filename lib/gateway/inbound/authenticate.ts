import type { Configuration } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { type Attempt, type Authentication, refused, unavailable } from "./authentication.ts";
import { type AuthorizationServer, createAuthorizationServer } from "./authorization-server.ts";
import { isLikelySame, isOwnServer } from "./issuer.ts";
import { validateJwt } from "./jwt.ts";
import type { WaitUntil } from "./kept.ts";
import { authenticateOwnToken } from "./own-token.ts";
import { createRemoteIntrospection, type RemoteIntrospection } from "./remote-introspection.ts";
import { unverifiedIssuer } from "./unverified-issuer.ts";

/** Checks access tokens against the configured servers. */
export type InboundAuthorization = (token: string, waitUntil: WaitUntil) => Promise<Authentication>;

interface Candidate extends AuthorizationServer {
  /** The issuer when this server is the instance itself. */
  readonly ownIssuer: string | undefined;
  readonly introspect: RemoteIntrospection;
}

/**
 * Built once a configuration; keeps what it learns about the servers. The token chooses its server: a JWT by `iss`, an
 * opaque one by prefix. No other server ever sees it (checklist 23).
 */
export function createInboundAuthorization(
  { mcpProvider, oidcProvider }: Configuration,
  dependencies: Dependencies,
): InboundAuthorization {
  const servers = (mcpProvider?.oauth.servers ?? []).map((settings): Candidate => {
    const server = createAuthorizationServer(settings, dependencies);
    const ownIssuer = isOwnServer(settings, oidcProvider) ? oidcProvider?.issuer : undefined;
    const introspect: RemoteIntrospection =
      ownIssuer === undefined
        ? createRemoteIntrospection(server, dependencies)
        : (token) => authenticateOwnToken(token, settings, dependencies);
    return { ...server, ownIssuer, introspect };
  });
  return async (token, waitUntil) => {
    const issuer = unverifiedIssuer(token);
    return issuer === undefined
      ? authenticateOpaque(token, servers, waitUntil)
      : authenticateJwt(token, issuer, servers, dependencies, waitUntil);
  };
}

async function authenticateOpaque(token: string, servers: readonly Candidate[], waitUntil: WaitUntil) {
  const introspecting = servers.filter(({ settings }) => settings.method !== "jwt");
  const prefixed = introspecting
    .filter(({ settings }) => hasPrefix(settings.introspection?.tokenPrefix, token))
    .sort((a, b) => prefixLength(b) - prefixLength(a));
  const chosen = prefixed[0] ?? introspecting.find(({ settings }) => settings.introspection?.tokenPrefix === undefined);
  return chosen === undefined ? refused("unknown_server") : chosen.introspect(token, waitUntil);
}

async function authenticateJwt(
  token: string,
  issuer: string,
  servers: readonly Candidate[],
  dependencies: Dependencies,
  waitUntil: WaitUntil,
): Promise<Authentication> {
  const server = await serverOf(issuer, servers, waitUntil);
  if (server === "unknown") return refused("unknown_server");
  if (server === "unavailable") return unavailable("discovery_not_loaded");
  const { method } = server.settings;
  if (method === "introspection") return server.introspect(token, waitUntil);
  const attempt: Attempt =
    server.ownIssuer === undefined
      ? await validateJwt(token, server, dependencies, waitUntil)
      : { outcome: "inconclusive", reason: "no_jwt_of_ours" };
  if (attempt.outcome !== "inconclusive") return attempt;
  return method === "auto" ? server.introspect(token, waitUntil) : refused(attempt.reason);
}

/** By the discovery address where that tells, else by the issuers that the discovery documents name. */
async function serverOf(
  issuer: string,
  servers: readonly Candidate[],
  waitUntil: WaitUntil,
): Promise<Candidate | "unknown" | "unavailable"> {
  const own = servers.find(({ ownIssuer }) => ownIssuer === issuer);
  if (own !== undefined) return own;
  const others = servers.filter(({ ownIssuer }) => ownIssuer === undefined);
  const likely = others.find(({ likelyIssuer }) => isLikelySame(likelyIssuer, issuer));
  if (likely !== undefined) return issuerOf(likely, waitUntil).then((named) => decide(likely, named, issuer));
  const named = await Promise.all(others.map((server) => issuerOf(server, waitUntil)));
  const found = others[named.indexOf(issuer)];
  if (found !== undefined) return found;
  return named.includes(undefined) ? "unavailable" : "unknown";
}

function decide(server: Candidate, named: string | undefined, issuer: string): Candidate | "unknown" | "unavailable" {
  if (named === undefined) return "unavailable";
  return named === issuer ? server : "unknown";
}

async function issuerOf(server: AuthorizationServer, waitUntil: WaitUntil): Promise<string | undefined> {
  return (await server.metadata.get(waitUntil))?.issuer;
}

function hasPrefix(prefix: string | undefined, token: string): boolean {
  return prefix !== undefined && token.startsWith(prefix);
}

function prefixLength({ settings }: AuthorizationServer): number {
  return settings.introspection?.tokenPrefix?.length ?? 0;
}
