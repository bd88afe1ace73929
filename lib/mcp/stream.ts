import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import type { RequestContext } from "../dependencies.ts";
import { admitCalls } from "../gateway/admit-calls.ts";
import { challengeResponse } from "../gateway/challenge.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { GatewayError } from "../gateway/gateway-error.ts";
import { createGuard, type Guard } from "../gateway/inbound/guard.ts";
import { isJsonObject } from "../json.ts";
import { causeOf } from "../logging/cause.ts";
import { VERSION } from "../version.ts";
import { refuseBatch } from "./batch.ts";
import { preflightResponse, withCors } from "./cors.ts";
import { headerMismatch } from "./header-mismatch.ts";
import { INTERNAL_ERROR, idOf, jsonRpcError, METHOD_NOT_FOUND, REFUSED } from "./json-rpc.ts";
import { startOperations } from "./operations.ts";
import { createOriginGuard } from "./origin-guard.ts";
import { readMessage } from "./read-message.ts";
import { type Caller, createServer } from "./server.ts";
import { toolCallsOf } from "./tool-calls.ts";

/** Answers requests to the stream path (Streamable HTTP): both generations of MCP, without sessions. */
export type McpStream = (request: Request, context: RequestContext) => Promise<Response>;

interface StreamParts {
  readonly gateway: Gateway;
  readonly guard: Guard;
  readonly handler: McpHttpHandler;
  readonly callers: WeakMap<Request, Caller>;
}

/** Built once a configuration. */
export function createMcpStream(gateway: Gateway): McpStream {
  const { mcpProvider, publicURL, dependencies } = gateway;
  const origins = createOriginGuard(publicURL, mcpProvider);
  const guard = createGuard(gateway);
  const callers = new WeakMap<Request, Caller>();
  const info = { name: mcpProvider.serverName, version: VERSION };
  const handler = createMcpHandler(({ requestInfo }) => createServer(info, gateway, callerOf(callers, requestInfo)), {
    legacy: "stateless",
    // Headers go out before the API answers, and comments keep the connection: proxies cut what stays silent.
    responseMode: "sse",
    keepAliveMs: 15_000,
    onerror: (cause) => dependencies.logger.debug("mcp request refused", { cause: causeOf(cause) }),
  });
  const parts = { gateway, guard, handler, callers };
  return async (request, context) => {
    if (!origins.isAllowed(request)) return jsonRpcError(403, REFUSED, "This Host or Origin is not allowed.");
    const response = request.method === "OPTIONS" ? preflightResponse() : await answer(request, context, parts);
    return withCors(request, response);
  };
}

async function answer(request: Request, context: RequestContext, parts: StreamParts): Promise<Response> {
  const { gateway, guard } = parts;
  const authorization = await guard(request, context);
  if (authorization instanceof Response) return authorization;
  // Without sessions there is no stream to open and none to end: clients take 405 as that (MCP, Transports).
  if (request.method !== "POST")
    return jsonRpcError(405, REFUSED, "Method not allowed.", { headers: { allow: "POST" } });
  const body = await readMessage(request);
  if (body instanceof Response) return body;
  const { message } = body;
  const operations = startOperations(message, request.headers, context, gateway);
  const response = await serve(request, message, { ...authorization, request: context, operations }, parts);
  operations.answered(response.status);
  return response;
}

async function serve(
  request: Request,
  message: unknown,
  from: Omit<Caller, "signal">,
  { gateway, handler, callers }: StreamParts,
): Promise<Response> {
  const unserved = refuseBatch(request, message) ?? headerMismatch(request, message) ?? refuseSubscription(message);
  if (unserved !== undefined) return unserved;
  const caller = { ...from, signal: request.signal };
  const refusal = await admitCalls(toolCallsOf(message, caller), gateway);
  if (refusal !== undefined) return refuse(refusal, message, gateway);
  callers.set(request, caller);
  return handler.fetch(request, { parsedBody: message });
}

/** Lists change with the configuration only, so no list is announced as changing and no stream is held open for it. */
function refuseSubscription(message: unknown): Response | undefined {
  const isListen = isJsonObject(message) && message.method === LISTEN;
  return isListen ? jsonRpcError(404, METHOD_NOT_FOUND, `${LISTEN} is not served.`, { id: idOf(message) }) : undefined;
}

const LISTEN = "subscriptions/listen";

function refuse(refusal: GatewayError, message: unknown, { resourceMetadata }: Gateway): Response {
  if (refusal.code === "not_recorded") return jsonRpcError(503, INTERNAL_ERROR, refusal.message, { id: idOf(message) });
  return challengeResponse(
    { status: 403, error: "insufficient_scope", description: refusal.message, scopes: refusal.scopes },
    resourceMetadata,
  );
}

function callerOf(callers: WeakMap<Request, Caller>, request: Request | undefined): Caller {
  const caller = request && callers.get(request);
  if (caller === undefined) throw new Error("a message was served without its request");
  return caller;
}
