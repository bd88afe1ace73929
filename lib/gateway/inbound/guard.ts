import type { McpEndpointConfiguration } from "../../config/configuration.ts";
import type { RequestContext } from "../../dependencies.ts";
import { type Challenge, challengeResponse } from "../challenge.ts";
import type { Gateway } from "../gateway.ts";
import type { Identity } from "../identity.ts";
import { resourceMetadataURL } from "../protected-resource-metadata.ts";
import { authenticate } from "./authenticate.ts";
import { presentedToken } from "./bearer-token.ts";

/** Who sends a request, and the token that says so. Neither where the configuration asks for no authorization. */
export interface Authorized {
  readonly identity: Identity | undefined;
  readonly token: string | undefined;
}

/** Who sends the request, or the answer that refuses it. */
export type Guard = (request: Request, context: RequestContext) => Promise<Authorized | Response>;

/** Every 401 names all scopes that tools need, so that a client asks for them at once (D14). */
export function createGuard(endpoint: McpEndpointConfiguration, gateway: Gateway): Guard {
  const { mcpProvider, scopes } = gateway;
  const resourceMetadata = resourceMetadataURL(endpoint, gateway);
  if (!mcpProvider.oauth.enabled) return async () => ({ identity: undefined, token: undefined });
  const challenge = (facts: Omit<Challenge, "scopes">) => challengeResponse({ ...facts, scopes }, resourceMetadata);
  return async (request, context) => {
    const { logger, authenticated } = context;
    const presented = presentedToken(request);
    if (presented.kind === "in_query") return challenge(IN_QUERY);
    if (presented.kind === "none") return challenge({ status: 401, description: "An access token is required." });
    if (presented.kind === "malformed") return challenge(INVALID_TOKEN);
    const result = await authenticate(presented.token, gateway, context);
    if (result.outcome === "accepted") {
      authenticated(result.identity.agent.clientID);
      return { identity: result.identity, token: presented.token };
    }
    logger.info("access token not accepted", { outcome: result.outcome, reason: result.reason });
    return result.outcome === "refused" ? challenge(INVALID_TOKEN) : notChecked();
  };
}

const IN_QUERY: Omit<Challenge, "scopes"> = {
  status: 400,
  error: "invalid_request",
  description: "An access token is accepted in the Authorization header only.",
};

const INVALID_TOKEN: Omit<Challenge, "scopes"> = {
  status: 401,
  error: "invalid_token",
  description: "The access token is not valid for this resource.",
};

/** A 401 would make the agent throw away a token that may be good. */
function notChecked(): Response {
  return Response.json(
    { error: "temporarily_unavailable", error_description: "The access token could not be checked." },
    { status: 503, headers: { "retry-after": "5", "cache-control": "no-store" } },
  );
}
