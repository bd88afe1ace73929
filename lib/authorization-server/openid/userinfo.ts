import type { JsonObject } from "../../kernel/json.ts";
import { bearerCredentials } from "../../protocol/http/bearer.ts";
import { OAuthError, type OAuthErrorCode } from "../../protocol/oauth/errors.ts";
import { grantedClaims } from "../person-claims.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { activeToken } from "../tokens/access-token.ts";

/**
 * The claims of a person for an access token of a sign-in (OpenID Connect Core 1.0 §5.3). Exchanged tokens have no `openid` and
 * are refused.
 *
 * @param authorization the header of that name; a token anywhere else is ignored
 * @throws {OAuthError} with the challenges of RFC 6750 §3
 */
export async function userinfo(
  authorization: string | undefined,
  dependencies: AuthorizationServerPorts,
): Promise<JsonObject & { readonly sub: string }> {
  const credentials = bearerCredentials(authorization);
  if (credentials.kind === "none") throw unauthenticated();
  if (credentials.kind === "malformed") throw refused("invalid_request", 400, "the access token is malformed");
  const token = await activeToken(credentials.token, dependencies);
  if (token === undefined) throw refused("invalid_token", 401, INACTIVE);
  if (!token.scopes.includes("openid")) {
    throw refused("insufficient_scope", 403, "the access token has not the scope openid", "openid");
  }
  const grant = await dependencies.stores.grants.grant(token.chainId, dependencies.clock.now());
  if (grant === undefined || grant.clientId !== token.clientId) throw refused("invalid_token", 401, INACTIVE);
  return { ...grantedClaims(grant, token.scopes), sub: grant.subject };
}

const INACTIVE = "the access token is not active";
const REALM = 'Bearer realm="countersign"';

/** A request without a token gets the challenge alone (RFC 6750 §3.1). */
function unauthenticated(): OAuthError {
  return new OAuthError("invalid_request", {
    status: 401,
    challenge: REALM,
    isChallengeOnly: true,
    detail: "no access token",
  });
}

function refused(code: OAuthErrorCode, status: 400 | 401 | 403, description: string, scope?: string): OAuthError {
  const attributes = [REALM, `error="${code}"`, `error_description="${description}"`];
  if (scope !== undefined) attributes.push(`scope="${scope}"`);
  return new OAuthError(code, { status, description, challenge: attributes.join(", ") });
}
