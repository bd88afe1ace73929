import type { Clock } from "../../kernel/clock.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import { loggableUrl } from "../../logging/fetch-report.ts";
import { isSameIssuer } from "../../protocol/oauth/issuer.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type Attempt, type Authentication, refused, unavailable } from "./claims.ts";
import { type TokenName, tokenName } from "./identity-cache.ts";
import { type PresentedJwt, validateJwt } from "./jwt.ts";
import { issuerOf, type TrustedServer } from "./trusted-servers.ts";
import { type UnverifiedJwt, unverifiedJwt } from "./unverified-jwt.ts";

export interface AuthenticatingPorts {
  readonly servers: readonly TrustedServer[];
  /** What every opaque token of this instance begins with; undefined where it issues none. */
  readonly ownTokenPrefix: string | undefined;
  readonly clock: Clock;
  readonly telemetry?: Telemetry | undefined;
}

/**
 * Checks an access token. The token chooses its server: a JWT by `iss`, an opaque one by prefix. No other server ever
 * sees it (checklist 23).
 */
export async function authenticate(
  token: string,
  ports: AuthenticatingPorts,
  context: Pick<RequestContext, "waitUntil" | "remoteAddress">,
): Promise<Authentication> {
  const { servers, ownTokenPrefix, telemetry } = ports;
  const jwt = jwtOf(token, servers);
  const server =
    jwt === undefined
      ? chooseByPrefix(token, servers, ownTokenPrefix)
      : await serverOf(jwt.said.issuer, servers, context.waitUntil);
  const result = await authenticateAt(server, token, jwt, ports, context);
  telemetry?.record("countersign.inbound.authentications", 1, {
    "countersign.server": typeof server === "string" ? undefined : loggableUrl(server.settings.wellKnownEndpoint),
    "countersign.outcome": result.outcome,
  });
  return result;
}

type NamedJwt = Pick<PresentedJwt, "token" | "name" | "said">;

/** A token that comes with every call is read once: its name alone tells that it is the same. Opaque ones have no points. */
function jwtOf(token: string, servers: readonly TrustedServer[]): NamedJwt | undefined {
  if (!token.includes(".")) return undefined;
  const name = tokenName(token);
  const said = saidBefore(name, servers) ?? unverifiedJwt(token);
  return said && { token, name, said };
}

function saidBefore(name: TokenName, servers: readonly TrustedServer[]): UnverifiedJwt | undefined {
  for (const { validated } of servers) {
    const said = validated.said(name);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** The server that a token chose, or why there is none. */
type Choice = TrustedServer | "unknown" | "unavailable";

/** A token of this instance is no other server's business, also when one is configured with its prefix or with none. */
function chooseByPrefix(token: string, servers: readonly TrustedServer[], ownTokenPrefix: string | undefined): Choice {
  const introspecting = servers.filter(({ settings }) => settings.method !== "jwt");
  if (hasPrefix(ownTokenPrefix, token)) {
    return introspecting.find(({ ownIssuer }) => ownIssuer !== undefined) ?? "unknown";
  }
  const [prefixed] = introspecting
    .filter(({ settings }) => hasPrefix(settings.introspection?.tokenPrefix, token))
    .sort((a, b) => prefixLength(b) - prefixLength(a));
  const unprefixed = introspecting.find(({ settings }) => settings.introspection?.tokenPrefix === undefined);
  return prefixed ?? unprefixed ?? "unknown";
}

async function authenticateAt(
  server: Choice,
  token: string,
  jwt: NamedJwt | undefined,
  ports: Pick<AuthenticatingPorts, "clock">,
  context: Pick<RequestContext, "waitUntil" | "remoteAddress">,
): Promise<Authentication> {
  if (server === "unknown") return refused("unknown_server");
  if (server === "unavailable") return unavailable("discovery_not_loaded");
  const { method } = server.settings;
  // A token of this instance is looked up in process whatever the method.
  if (jwt === undefined || method === "introspection" || server.ownIssuer !== undefined) {
    return server.introspect(token, context.waitUntil);
  }
  const attempt: Attempt = await validateJwt({ ...jwt, server }, ports, context);
  if (attempt.outcome !== "inconclusive") return attempt;
  return method === "auto" ? server.introspect(token, context.waitUntil) : attempt.otherwise;
}

/** By the discovery address where that tells the issuer, else by the issuers that the discovery documents name. */
async function serverOf(
  issuer: string | undefined,
  servers: readonly TrustedServer[],
  waitUntil: WaitUntil,
): Promise<Choice> {
  if (issuer === undefined) return "unknown";
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

function decide(server: TrustedServer, named: string | undefined, issuer: string): Choice {
  if (named === undefined) return "unavailable";
  return named === issuer ? server : "unknown";
}

function hasPrefix(prefix: string | undefined, token: string): boolean {
  return prefix !== undefined && token.startsWith(prefix);
}

function prefixLength({ settings }: TrustedServer): number {
  return settings.introspection?.tokenPrefix?.length ?? 0;
}
