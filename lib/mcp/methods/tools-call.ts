import { errorResult } from "../../bridge/tool-result.ts";
import { callTool } from "../../gateway/call-tool.ts";
import type { CallReports, Gateway, ToolCall } from "../../gateway/gateway.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import type { JsonObject } from "../../json.ts";
import { stackOf } from "../../logging/cause.ts";
import { MCP_LOG_LEVELS } from "../../stores/mcp-sessions.ts";
import type { MethodContext } from "../caller.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "../json-rpc.ts";
import { isRequestId, metaOf, type RpcRequest } from "../message.ts";

/** `tools/call`. What the upstream does wrong is a result with `isError`; a call that is not made is an error. */
export async function toolsCall(
  { id, params }: RpcRequest,
  caller: MethodContext,
  gateway: Gateway,
): Promise<JsonObject> {
  const { name, arguments: given } = params;
  if (typeof name !== "string") throw new RpcError(INVALID_PARAMS, "params.name must be the name of a tool.");
  const { identity, http, signal, operations, session } = caller;
  const request = operations.contextOf(id);
  const sessionId = session?.record.sessionHash;
  const reports = reportsOf(metaOf(params).progressToken, caller);
  const call: ToolCall = { name, arguments: given, identity, request, http, signal, sessionId, reports };
  try {
    const result = await callTool(call, gateway);
    if (result.isError === true) operations.fail(id, "tool_error");
    return { ...result };
  } catch (cause) {
    if (cause instanceof GatewayError && cause.code === "denied_by_policy") {
      operations.fail(id, "tool_error");
      return { ...errorResult(cause.message) };
    }
    throw rpcError(cause, call);
  }
}

/** Every report repeats the token; a longer one would make many times its size of traffic out of one request. */
const TOKEN_LENGTH = 1_000;

/** Progress goes to who gave a token for it, log messages to who asked for their level (MCP, Progress and Logging). */
function reportsOf(token: unknown, { notify, logLevel }: MethodContext): CallReports {
  return {
    progress: (progress) => {
      if (isRequestId(token) && String(token).length <= TOKEN_LENGTH)
        notify("notifications/progress", { progressToken: token, ...progress });
    },
    log: (level, logger, data) => {
      if (logLevel === undefined || MCP_LOG_LEVELS.indexOf(level) < MCP_LOG_LEVELS.indexOf(logLevel)) return;
      notify("notifications/message", { level, logger, data });
    },
  };
}

function rpcError(cause: unknown, call: ToolCall): RpcError {
  if (cause instanceof GatewayError) {
    return new RpcError(cause.code === "not_recorded" ? INTERNAL_ERROR : INVALID_PARAMS, cause.message);
  }
  call.request.logger.error("tool call failed", { tool: call.name, cause: stackOf(cause) });
  return new RpcError(INTERNAL_ERROR, "The call could not be completed.");
}
