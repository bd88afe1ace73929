import type {
  ConfigurationSnapshot,
  McpEndpointConfiguration,
  McpProviderConfiguration,
} from "../config/configuration.ts";
import { mcpEndpoints } from "../config/endpoints.ts";
import type { GatewaySettings } from "../config/settings/settings.ts";
import { createGuard, type GuardPorts } from "../gateway/inbound/guard.ts";
import { type LimitPorts, limitSubject } from "../gateway/limit-calls.ts";
import type { LimitStage } from "../limits/limits.ts";
import { refusalOf } from "../limits/refusal.ts";
import { INTERNAL_ERROR, jsonRpcError, REFUSED } from "../protocol/mcp/json-rpc.ts";
import { StoreUnavailableError } from "../stores/unavailable.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { limitedAnswer } from "./admit.ts";
import type { Caller } from "./caller.ts";
import { type CorsPorts, createCors } from "./cors.ts";
import { createOriginGuard } from "./origin-guard.ts";

/** Answers requests to one path of an MCP transport. */
export type McpEndpoint = (request: Request, context: RequestContext) => Promise<Response>;

/** Who sends a request, where the configuration asks for that. */
export type Sender = Pick<Caller, "identity" | "token" | "request" | "isStillAuthorized">;

export type AuthorizedHandler = (request: Request, sender: Sender) => Promise<Response>;

export type EndpointPorts = GuardPorts & CorsPorts & ServedPorts & LimitPorts;

/**
 * What every path of every transport has in common, in this order: `Host` and `Origin` (checklist 22), the preflight,
 * the access token on every method (D14), and CORS for whatever is answered.
 */
export function createMcpEndpoint(
  endpoint: McpEndpointConfiguration,
  ports: EndpointPorts,
  handle: AuthorizedHandler,
): McpEndpoint {
  const origins = createOriginGuard(ports.publicURL, ports.mcpProvider);
  const guard = createGuard(endpoint, ports);
  const cors = createCors(ports);
  return async (request, context) => {
    const refused = origins.refused(request);
    if (refused !== undefined) {
      const setting = `mcpProvider.allowed${refused}s`;
      context.logger.info("mcp request refused", { header: refused, setting });
      return jsonRpcError(403, REFUSED, `This ${refused} is not allowed here; ${setting} names those that are.`);
    }
    if (request.method === "OPTIONS") return cors.readable(request, cors.preflight(request));
    try {
      return cors.readable(request, await answer(request, context));
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      context.logger.warn("store not available", { cause: error.message });
      return cors.readable(request, notNow());
    }
  };

  async function answer(request: Request, context: RequestContext): Promise<Response> {
    const crowded = await limitedRequest("anonymous", { identity: undefined, request: context }, ports);
    if (crowded !== undefined) return crowded;
    const authorization = await guard(request, context);
    if (authorization instanceof Response) return authorization;
    const full = await limitedRequest("known", { identity: authorization.identity, request: context }, ports);
    if (full !== undefined) return full;
    const isStillAuthorized = async () => {
      if (!(await isStillServed(ports, context))) return false;
      const again = await guard(request, context);
      // A server that cannot be asked for now has taken nothing back.
      return !(again instanceof Response) || again.status === 503;
    };
    const { identity, token } = authorization;
    return handle(request, { identity, token, request: context, isStillAuthorized });
  }
}

/** Counts a request before its body is read; the answer where a limit is used up. */
async function limitedRequest(
  stage: LimitStage,
  sender: Parameters<typeof limitSubject>[0],
  { limits, ownIssuer }: LimitPorts,
): Promise<Response | undefined> {
  const counted = limits.takeRequest("mcp", stage, limitSubject(sender, ownIssuer));
  if (counted === undefined) return undefined;
  const refusal = refusalOf(counted instanceof Promise ? await counted : counted);
  return refusal && limitedAnswer(refusal);
}

/** The store is away for now (D66), told as this surface tells errors. */
function notNow(): Response {
  const headers = { "retry-after": "1" };
  return jsonRpcError(503, INTERNAL_ERROR, "The request could not be completed for now. Try again.", { headers });
}

interface ServedPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly gatewaySettings?: Pick<GatewaySettings, "upToDate"> | undefined;
  readonly mcpProvider: McpProviderConfiguration;
}

/** Whether a gateway is served now that asks for tokens as this one does: a stream may be older than a change of settings (D150). */
async function isStillServed(
  { configuration, gatewaySettings, mcpProvider }: ServedPorts,
  { waitUntil }: RequestContext,
): Promise<boolean> {
  // Where nothing runs between requests, nobody else may be looking.
  await gatewaySettings?.upToDate(waitUntil);
  const { mcpProvider: current } = configuration().configuration;
  if (current === undefined || mcpEndpoints(current).length === 0) return false;
  return current.oauth.enabled === mcpProvider.oauth.enabled;
}
