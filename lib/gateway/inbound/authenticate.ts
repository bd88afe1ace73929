import type { Dependencies } from "../../dependencies.ts";
import type { Gateway } from "../gateway.ts";
import { type Attempt, type Authentication, refused, unavailable } from "./authentication.ts";
import { isSameIssuer } from "./issuer.ts";
import { validateJwt } from "./jwt.ts";
import type { WaitUntil } from "./kept.ts";
import { issuerOf, type TrustedServer } from "./trusted-servers.ts";
import { type UnverifiedJwt, unverifiedJwt } from "./unverified-jwt.ts";

/**
 * Checks an access token. The token chooses its server: a JWT by `iss`, an opaque one by prefix. No other server ever
 * sees it (checklist 23).
 */
export async function authenticate(
  token: string,
  { servers, ownTokenPrefix, dependencies }: Pick<Gateway, "servers" | "ownTokenPrefix" | "dependencies">,
  waitUntil: WaitUntil,
): Promise<Authentication> {
  const jwt = unverifiedJwt(token);
  if (jwt !== undefined) return authenticateJwt(token, jwt, servers, dependencies, waitUntil);
  const introspecting = servers.filter(({ settings }) => settings.method !== "jwt");
  const chosen = chooseByPrefix(token, introspecting, ownTokenPrefix);
  return chosen === undefined ? refused("unknown_server") : chosen.introspect(token, waitUntil);
}

/** A token of this instance is no other server's business, also when one is configured with its prefix or with none. */
function chooseByPrefix(
  token: string,
  servers: readonly TrustedServer[],
  ownTokenPrefix: string | undefined,
): TrustedServer | undefined {
  if (hasPrefix(ownTokenPrefix, token)) return servers.find(({ ownIssuer }) => ownIssuer !== undefined);
  const [prefixed] = servers
    .filter(({ settings }) => hasPrefix(settings.introspection?.tokenPrefix, token))
    .sort((a, b) => prefixLength(b) - prefixLength(a));
  return prefixed ?? servers.find(({ settings }) => settings.introspection?.tokenPrefix === undefined);
}

async function authenticateJwt(
  token: string,
  { issuer, type }: UnverifiedJwt,
  servers: readonly TrustedServer[],
  dependencies: Dependencies,
  waitUntil: WaitUntil,
): Promise<Authentication> {
  const server = issuer === undefined ? "unknown" : await serverOf(issuer, servers, waitUntil);
  if (server === "unknown") return refused("unknown_server");
  if (server === "unavailable") return unavailable("discovery_not_loaded");
  const { method } = server.settings;
  if (method === "introspection") return server.introspect(token, waitUntil);
  const attempt: Attempt =
    server.ownIssuer === undefined
      ? await validateJwt(token, type, server, dependencies, waitUntil)
      : { outcome: "inconclusive", reason: "no_jwt_of_ours" };
  if (attempt.outcome !== "inconclusive") return attempt;
  return method === "auto" ? server.introspect(token, waitUntil) : refused(attempt.reason);
}

/** By the discovery address where that tells the issuer, else by the issuers that the discovery documents name. */
async function serverOf(
  issuer: string,
  servers: readonly TrustedServer[],
  waitUntil: WaitUntil,
): Promise<TrustedServer | "unknown" | "unavailable"> {
  const own = servers.find(({ ownIssuer }) => ownIssuer === issuer);
  if (own !== undefined) return own;
  const others = servers.filter(({ ownIssuer }) => ownIssuer === undefined);
  const expected = others.find(({ expectedIssuer }) => expectedIssuer && isSameIssuer(expectedIssuer, issuer));
  if (expected !== undefined) return issuerOf(expected, waitUntil).then((named) => decide(expected, named, issuer));
  const untold = others.filter(({ expectedIssuer }) => expectedIssuer === undefined);
  const named = await Promise.all(untold.map((server) => issuerOf(server, waitUntil)));
  const found = untold[named.indexOf(issuer)];
  if (found !== undefined) return found;
  return named.includes(undefined) ? "unavailable" : "unknown";
}

function decide(
  server: TrustedServer,
  named: string | undefined,
  issuer: string,
): TrustedServer | "unknown" | "unavailable" {
  if (named === undefined) return "unavailable";
  return named === issuer ? server : "unknown";
}

function hasPrefix(prefix: string | undefined, token: string): boolean {
  return prefix !== undefined && token.startsWith(prefix);
}

function prefixLength({ settings }: TrustedServer): number {
  return settings.introspection?.tokenPrefix?.length ?? 0;
}
