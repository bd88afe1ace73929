import type { Gateway } from "../../lib/application/gateway.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { acceptedForms } from "../../lib/mcp/accept.ts";
import type { Caller, LiveSession } from "../../lib/mcp/caller.ts";
import { exchange } from "../../lib/mcp/exchange.ts";
import type { Method } from "../../lib/mcp/methods/methods.ts";
import { noOperations } from "../../lib/mcp/operations.ts";
import { runRequests } from "../../lib/mcp/run-requests.ts";
import { localSessionChannel } from "../../lib/mcp/sessions/local-channel.ts";
import type { RpcRequest } from "../../lib/protocol/mcp/message.ts";
import { NOTHING_STOPPED } from "../../lib/stops/instance-stops.ts";
import type { SessionChannel } from "../../lib/stores/session-channel.ts";
import type { RequestContext } from "../../lib/telemetry/request-context.ts";

const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => SILENT };
const REQUEST: RequestContext = {
  requestId: "request",
  remoteAddress: undefined,
  logger: SILENT,
  authenticated: ignore,
  waitUntil: ignore,
};

export const HASH = "hash-of-the-session";

export const SESSION: LiveSession = {
  reference: { sessionHash: HASH, principal: "" },
  record: {
    sessionHash: HASH,
    transport: "stream",
    principal: "",
    protocolVersion: "2025-11-25",
    clientInfo: { name: "agent", version: "7" },
    clientCapabilities: { sampling: {} },
    startedAt: 0,
    lastSeenAt: 0,
    timeout: 1_000,
  },
};

/** A gateway of which there is no more than what carries out methods needs. */
export function gatewayOf(sessionChannel: SessionChannel | undefined = localSessionChannel()): Gateway {
  return {
    sessionChannel,
    mcpProvider: { serverName: "gateway" },
    proxies: { apps: [] },
    instanceStops: NOTHING_STOPPED,
  } as unknown as Gateway;
}

export function callerOf(http: Request, session?: LiveSession): Caller {
  return {
    identity: undefined,
    token: undefined,
    request: REQUEST,
    http,
    signal: http.signal,
    operations: noOperations(REQUEST),
    isStillAuthorized: async () => true,
    session,
  };
}

/** Has a method answer `tools/call`, by the exchange of calls that are forwarded; every result says that it is finished. */
export function carryOutCall(
  method: Method,
  message: RpcRequest,
  http: Request,
  { gateway = gatewayOf(), session }: { readonly gateway?: Gateway; readonly session?: LiveSession } = {},
): Promise<Response> {
  const options = {
    requests: [message],
    methods: new Map([["tools/call", method]]),
    admissions: new Map(),
    logLevel: undefined,
    finish: (_: RpcRequest, result: object) => ({ ...result, isFinished: true }),
  };
  const work = runRequests(options, callerOf(http, session), gateway);
  return exchange(work, { forms: acceptedForms(http), isLong: true, isBatch: false, signal: http.signal });
}

function ignore(): void {
  // Nobody asks.
}
