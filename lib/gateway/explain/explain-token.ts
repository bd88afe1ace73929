import type { Configuration, McpAuthorizationServer } from "../../config/configuration.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isSameIssuer, issuerFromWellKnown } from "../../protocol/oauth/issuer.ts";
import type { Identity } from "../identity.ts";
import { identityFromClaims, isMeantFor, untimely } from "../inbound/claims.ts";
import { isOwnServer } from "../inbound/trusted-servers.ts";
import { allowed, denied, type ExplainedStep } from "./explanation.ts";

export interface ExplainedToken {
  /** Absent where nobody is asked for a token, and where the claims name nobody. */
  readonly identity: Identity | undefined;
  readonly step: ExplainedStep;
}

/** Who an agent's token with these claims would be of, if its signature or its server said that they are true. */
export function explainToken(claims: JsonObject, configuration: Configuration, now: number): ExplainedToken {
  const oauth = configuration.mcpProvider?.oauth;
  if (oauth?.enabled !== true)
    return { identity: undefined, step: allowed("token", "OAuth is off: none is asked for") };
  return explainClaims(claims, oauth.servers, configuration, now);
}

/**
 * Who a token with these claims would be of, likewise.
 *
 * @param servers whose tokens are accepted, with the audiences
 */
export function explainClaims(
  claims: JsonObject,
  servers: readonly McpAuthorizationServer[],
  configuration: Pick<Configuration, "oidcProvider">,
  now: number,
): ExplainedToken {
  const issuer = typeof claims.iss === "string" ? claims.iss : "";
  const { exp = Math.ceil(now / 1_000) + 60 } = claims;
  const read = identityFromClaims({ ...claims, exp }, issuer);
  if (read.outcome !== "accepted")
    return { identity: undefined, step: denied("token", REASONS[read.reason] ?? read.reason) };
  const { identity } = read;
  const server = servers.find((candidate) => isIssuer(candidate, issuer, configuration));
  const problem = issuer === "" ? undefined : problemOf(claims, server, now);
  if (problem !== undefined) return { identity, step: denied("token", problem) };
  const person = identity.user === undefined ? "for itself" : `for ${identity.user.sub}`;
  const unchecked = issuer === "" ? "; iss is missing, so that issuer and audience are not looked at" : "";
  return { identity, step: allowed("token", `agent ${identity.agent.clientID} ${person}${unchecked}`) };
}

const REASONS: Readonly<Record<string, string>> = {
  sender_constrained: "cnf: tokens that are bound to a key are not accepted",
  no_client: "neither client_id, azp nor act.sub names the agent",
  no_expiry: "exp is not a number",
  unusable_name: "client_id, azp, sub or act.sub is too long or has control characters",
};

function isIssuer(
  server: McpAuthorizationServer,
  issuer: string,
  { oidcProvider }: Pick<Configuration, "oidcProvider">,
): boolean {
  if (oidcProvider !== undefined && isOwnServer(server, oidcProvider)) return oidcProvider.issuer === issuer;
  const expected = issuerFromWellKnown(server.wellKnownEndpoint);
  return expected !== undefined && isSameIssuer(expected, issuer);
}

function problemOf(claims: JsonObject, server: McpAuthorizationServer | undefined, now: number): string | undefined {
  if (server === undefined)
    return "iss is none of the servers whose tokens are accepted, as far as their addresses tell";
  if (!isMeantFor(claims.aud, server.expectedAudiences)) {
    return `aud is none of expectedAudiences: ${server.expectedAudiences.join(", ")}`;
  }
  return untimely(claims, now, server.clockSkew) === undefined ? undefined : "exp or nbf: the token is not of use now";
}
