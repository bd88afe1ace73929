import type { McpEndpointConfiguration } from "../../config/configuration.ts";
import { type BearerCredentials, bearerCredentials } from "../../protocol/http/bearer.ts";
import type { InstanceStops } from "../../stops/instance-stops.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import { type Challenge, challengeResponse } from "../challenge.ts";
import type { Identity } from "../identity.ts";
import { type ResourceURLPorts, resourceMetadataURL } from "../protected-resource-metadata.ts";
import { stopOfIdentity } from "../stopped.ts";
import { type AuthenticatingPorts, authenticate } from "./authenticate.ts";

/** Who sends a request, and the token that says so. Neither where the configuration asks for no authorization. */
export interface Authorized {
  readonly identity: Identity | undefined;
  readonly token: string | undefined;
}

/** Who sends the request, or the answer that refuses it. */
export type Guard = (request: Request, context: RequestContext) => Promise<Authorized | Response>;

export interface GuardPorts extends AuthenticatingPorts, ResourceURLPorts {
  /** Every scope that some tool needs. */
  readonly scopes: readonly string[];
  readonly instanceStops: Pick<InstanceStops, "current">;
  /** Of the tokens that this instance issues; undefined where it issues none. */
  readonly ownIssuer: string | undefined;
}

/** Every 401 names all scopes that tools need, so that a client asks for them at once (D14). */
export function createGuard(endpoint: McpEndpointConfiguration, ports: GuardPorts): Guard {
  const { mcpProvider, scopes, instanceStops, ownIssuer } = ports;
  const resourceMetadata = resourceMetadataURL(endpoint, ports);
  if (!mcpProvider.oauth.enabled) return async () => ({ identity: undefined, token: undefined });
  const challenge = (facts: Omit<Challenge, "scopes">) => challengeResponse({ ...facts, scopes }, resourceMetadata);
  return async (request, context) => {
    const { logger, authenticated } = context;
    const presented = presentedToken(request);
    if (presented.kind === "in_query") return challenge(IN_QUERY);
    if (presented.kind === "none") return challenge({ status: 401, description: "An access token is required." });
    if (presented.kind === "malformed") return challenge(INVALID_TOKEN);
    const result = await authenticate(presented.token, ports, context);
    if (result.outcome === "accepted") {
      // Tokens of others are believed until they expire. Those of this instance were looked up, with those who act in them.
      const stop = stopOfIdentity(await instanceStops.current(context.waitUntil), result.identity, ownIssuer);
      if (stop !== undefined) {
        logger.info("access token not accepted", { outcome: "refused", reason: "stopped", stopId: stop.stopId });
        return challenge(INVALID_TOKEN);
      }
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

/** How a request carries its token (RFC 6750 §2). */
type PresentedToken =
  | BearerCredentials
  /** RFC 6750 §2.3: URLs end up in logs; never accepted, whatever else the request carries. */
  | { readonly kind: "in_query" };

function presentedToken(request: Request): PresentedToken {
  const { url } = request;
  // Mostly there is no query, and nothing to parse.
  if (url.includes("?") && new URL(url).searchParams.has("access_token")) return { kind: "in_query" };
  return bearerCredentials(request.headers.get("authorization"));
}
