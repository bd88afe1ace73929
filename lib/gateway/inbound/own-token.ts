import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { activeToken } from "../../tokens/access-token.ts";
import { type Authentication, accepted, refused } from "./authentication.ts";
import { identityFromClaims } from "./claims.ts";

/**
 * A token of this very instance, opaque or JWT: checked against its chain in the instance's own store with every call, never
 * over HTTP and never from a cache.
 */
export async function authenticateOwnToken(
  token: string,
  server: McpAuthorizationServer,
  issuer: string,
  dependencies: Dependencies,
): Promise<Authentication> {
  const record = await activeToken(token, dependencies);
  if (record === undefined) return refused("inactive");
  if (!server.expectedAudiences.includes(record.audience)) return refused("wrong_audience");
  const result = identityFromClaims(claimsOf(record, issuer), issuer);
  if (result.outcome !== "accepted") return result;
  const { organizationId, tokenId, expiresAt } = record;
  return accepted({
    ...result.identity,
    ...(organizationId !== undefined && { organizationId }),
    tokenId,
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
