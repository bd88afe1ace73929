import type { Connector } from "../connectors/connectors.ts";
import type { Dependencies } from "../dependencies.ts";
import { authenticateOAuthClient, authenticationMethod } from "./client-authentication.ts";
import { OAuthError } from "./errors.ts";
import type { Grant, TokenResponse } from "./grants/grant.ts";
import { unauthorizedGrant } from "./grants/refusals.ts";
import { enabledGrants } from "./grants/registry.ts";
import { invalidRequest } from "./refusals.ts";
import type { ClientRequest } from "./request.ts";

/**
 * Answers a request to the token endpoint (RFC 6749 §3.2).
 *
 * @throws {OAuthError} everything it refuses
 */
export async function answerTokenRequest(
  request: ClientRequest,
  dependencies: Dependencies,
  connectors: readonly Connector[],
): Promise<TokenResponse> {
  const grant = requestedGrant(request, dependencies);
  await refuseOtherAuthentication(grant, request, dependencies);
  requireParameters(grant, request);
  return grant.handle(request, dependencies, connectors);
}

function requestedGrant({ form }: ClientRequest, { configuration }: Pick<Dependencies, "configuration">): Grant {
  const grantType = form.get("grant_type");
  if (grantType === undefined || !GRANT_TYPE.test(grantType))
    throw invalidRequest("grant_type is missing or malformed");
  const grants = enabledGrants(configuration().configuration);
  const grant = grants.find((candidate) => candidate.grantType === grantType);
  if (grant === undefined) throw new OAuthError("unsupported_grant_type");
  return grant;
}

/** API clients hold no secret. An `Authorization` header is an attempt to authenticate and is answered as one. */
async function refuseOtherAuthentication(
  { clients }: Grant,
  request: ClientRequest,
  dependencies: Dependencies,
): Promise<void> {
  if (authenticationMethod(request) !== "client_secret_basic" || clients !== "api_clients") return;
  await authenticateOAuthClient(request, dependencies);
  throw unauthorizedGrant("the grant is for API clients, which sign assertions");
}

function requireParameters({ requiredParameters }: Grant, { form }: ClientRequest): void {
  const missing = requiredParameters.filter((name) => !form.has(name));
  if (missing.length > 0) throw invalidRequest(`missing: ${missing.join(", ")}`);
}

/** A name or an absolute URI (RFC 6749 appendix A.10). */
const GRANT_TYPE = /^([A-Za-z0-9._-]+|[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x7e]+)$/;
