import type { McpAuthorizationServer } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
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
    expiresAt,
  });
}
