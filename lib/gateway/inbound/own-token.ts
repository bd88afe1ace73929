import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { JsonObject } from "../../json.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { introspectToken } from "../../tokens/introspection.ts";
import { type Authentication, accepted, refused } from "./authentication.ts";

/** A token of this very instance: looked up in its own store, never over HTTP and never from a cache. */
export async function authenticateOwnToken(
  token: string,
  server: McpAuthorizationServer,
  issuer: string,
  dependencies: Dependencies,
): Promise<Authentication> {
  const record = await introspectToken(token, dependencies);
  if (record === undefined) return refused("inactive");
  if (!server.expectedAudiences.includes(record.audience)) return refused("wrong_audience");
  const { clientId, organizationId, subject, scopes, tokenId, expiresAt } = record;
  return accepted({
    ...(subject !== clientId && { user: { sub: subject } }),
    agent: { clientID: clientId },
    issuer,
    organizationId,
    scopes,
    actChain: [],
    tokenId,
    claims: claimsOf(record, issuer),
    expiresAt,
  });
}

/** As introspection tells them (RFC 7662 §2.2). */
function claimsOf(record: TokenRecord, issuer: string): JsonObject {
  const { clientId, subject, audience, scopes, tokenId, issuedAt, expiresAt } = record;
  return {
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
