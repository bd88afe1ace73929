import type { McpEndpointConfiguration } from "../config/configuration.ts";
import type { RequestContext } from "../dependencies.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Identity } from "../gateway/identity.ts";
import { createGuard } from "../gateway/inbound/guard.ts";
import { createCors } from "./cors.ts";
import { jsonRpcError, REFUSED } from "./json-rpc.ts";
import { createOriginGuard } from "./origin-guard.ts";

/** Answers requests to one path of an MCP transport. */
export type McpEndpoint = (request: Request, context: RequestContext) => Promise<Response>;

/** A request whose sender is known, where the configuration asks for that. */
export type AuthorizedHandler = (
  request: Request,
  context: RequestContext,
  identity: Identity | undefined,
) => Promise<Response>;

/**
 * What every path of every transport has in common, in this order: `Host` and `Origin` (checklist 22), the preflight,
 * the access token on every method (D14), and CORS for whatever is answered.
 */
export function createMcpEndpoint(
  endpoint: McpEndpointConfiguration,
  gateway: Gateway,
  handle: AuthorizedHandler,
): McpEndpoint {
  const origins = createOriginGuard(gateway.publicURL, gateway.mcpProvider);
  const guard = createGuard(endpoint, gateway);
  const cors = createCors(gateway);
  return async (request, context) => {
    if (!origins.isAllowed(request)) return jsonRpcError(403, REFUSED, "This Host or Origin is not allowed.");
    if (request.method === "OPTIONS") return cors.readable(request, cors.preflight());
    const authorization = await guard(request, context);
    if (authorization instanceof Response) return cors.readable(request, authorization);
    return cors.readable(request, await handle(request, context, authorization.identity));
  };
}
