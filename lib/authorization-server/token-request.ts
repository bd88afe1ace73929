import type { Connector } from "../connectors/connectors.ts";
import { OAuthError } from "../protocol/oauth/errors.ts";
import type { ClientRequest } from "./client-request.ts";
import type { Grant, TokenResponse } from "./grants/grant.ts";
import { enabledGrants } from "./grants/registry.ts";
import type { AuthorizationServerPorts } from "./ports.ts";
import { invalidRequest, requireParameters } from "./refusals.ts";

/**
 * Answers a request to the token endpoint (RFC 6749 §3.2).
 *
 * @throws {OAuthError} everything it refuses
 */
export async function answerTokenRequest(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
  connectors: readonly Connector[],
): Promise<TokenResponse> {
  const grant = requestedGrant(request, dependencies);
  requireParameters(grant.requiredParameters, request);
  return grant.handle(request, dependencies, connectors);
}

/**
 * Counts a request to the token endpoint by grant and outcome: `issued`, the error code, or `error` for anything else.
 *
 * @param answer receives a function to call with the `grant_type` when it is known
 */
export async function measuredTokenRequest<T>(
  { telemetry, configuration }: Pick<AuthorizationServerPorts, "telemetry" | "configuration">,
  answer: (asksFor: (grantType: string | undefined) => void) => Promise<T>,
): Promise<T> {
  let grant: string | undefined;
  const asksFor = (grantType: string | undefined) => {
    const grants = enabledGrants(configuration().configuration);
    grant = grants.find((known) => known.grantType === grantType)?.grantType;
  };
  const count = (outcome: string) =>
    telemetry?.record("countersign.token.requests", 1, {
      "countersign.grant": grant ?? "_OTHER",
      "countersign.outcome": outcome,
    });
  try {
    const result = await answer(asksFor);
    count("issued");
    return result;
  } catch (error) {
    count(error instanceof OAuthError ? error.code : "error");
    throw error;
  }
}

function requestedGrant(
  { form }: ClientRequest,
  { configuration }: Pick<AuthorizationServerPorts, "configuration">,
): Grant {
  const grantType = form.get("grant_type");
  if (grantType === undefined || !GRANT_TYPE.test(grantType))
    throw invalidRequest("grant_type is missing or malformed");
  const grants = enabledGrants(configuration().configuration);
  const grant = grants.find((candidate) => candidate.grantType === grantType);
  if (grant === undefined) throw new OAuthError("unsupported_grant_type");
  return grant;
}

/** A name or an absolute URI (RFC 6749 appendix A.10). */
const GRANT_TYPE = /^([A-Za-z0-9._-]+|[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x7e]+)$/;
