import type { McpEndpointConfiguration } from "../config/configuration.ts";
import type { RequestContext } from "../dependencies.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createGuard } from "../gateway/inbound/guard.ts";
import type { Caller } from "./caller.ts";
import { createCors } from "./cors.ts";
import { jsonRpcError, REFUSED } from "./json-rpc.ts";
import { createOriginGuard } from "./origin-guard.ts";
import { isStillServed } from "./still-served.ts";

/** Answers requests to one path of an MCP transport. */
export type McpEndpoint = (request: Request, context: RequestContext) => Promise<Response>;

/** Who sends a request, where the configuration asks for that. */
export type Sender = Pick<Caller, "identity" | "token" | "request" | "isStillAuthorized">;

export type AuthorizedHandler = (request: Request, sender: Sender) => Promise<Response>;

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
    const refused = origins.refused(request);
    if (refused !== undefined) {
      const setting = `mcpProvider.allowed${refused}s`;
      context.logger.info("mcp request refused", { header: refused, setting });
      return jsonRpcError(403, REFUSED, `This ${refused} is not allowed here; ${setting} names those that are.`);
    }
    if (request.method === "OPTIONS") return cors.readable(request, cors.preflight(request));
    const authorization = await guard(request, context);
    if (authorization instanceof Response) return cors.readable(request, authorization);
    const isStillAuthorized = async () => {
      if (!(await isStillServed(gateway, context))) return false;
      const again = await guard(request, context);
      // A server that cannot be asked for now has taken nothing back.
      return !(again instanceof Response) || again.status === 503;
    };
    const { identity, token } = authorization;
    return cors.readable(request, await handle(request, { identity, token, request: context, isStillAuthorized }));
  };
}
