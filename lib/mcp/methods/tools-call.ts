import { errorResult, type ToolResult } from "../../bridge/tool-result.ts";
import { callTool, type PreparedCall } from "../../gateway/call-tool.ts";
import type { CallReports, Gateway, ToolCall } from "../../gateway/gateway.ts";
import { GatewayError, type GatewayErrorCode } from "../../gateway/gateway-error.ts";
import { stackOf } from "../../logging/cause.ts";
import type { Forwarded } from "../../proxy/forwarded.ts";
import { MCP_LOG_LEVELS } from "../../stores/mcp-sessions.ts";
import { agentSideOf } from "../agent-side.ts";
import type { MethodContext } from "../caller.ts";
import { contentOfRevision } from "../content-of-revision.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, RpcError } from "../json-rpc.ts";
import { isRequestId, metaOf, type RpcRequest } from "../message.ts";
import { metaToolResult } from "./meta-tools.ts";
import { type MethodAnswer, resultAnswer } from "./method-answer.ts";

/**
 * `tools/call`, which was decided on already. What the upstream does wrong is a result with `isError`, and so is what the
 * agent can do nothing about; any other call that is not made is an error.
 */
export async function toolsCall(message: RpcRequest, caller: MethodContext, gateway: Gateway): Promise<MethodAnswer> {
  const { id, params } = message;
  const admission = caller.admissions.get(message);
  const { signal, operations } = caller;
  const called = () => (admission instanceof GatewayError ? refusalResult(admission) : run(admission as PreparedCall));
  const result = (await metaToolResult(message, admission, caller, gateway)) ?? (await called());
  if ("kind" in result) return result;
  if (result.isError === true) operations.fail(id, "tool_error");
  return resultAnswer({ ...result });

  async function run(prepared: PreparedCall): Promise<ToolResult | Forwarded> {
    const reports = reportsOf(metaOf(params).progressToken, caller);
    const call = { ...prepared.call, signal, reports, agent: agentSideOf(message, caller, gateway) };
    try {
      const made = await callTool({ ...prepared, call }, gateway);
      return "kind" in made ? made : contentOfRevision(made.result, call.name, caller);
    } catch (cause) {
      throw rpcError(cause, call);
    }
  }
}

/** The model reads results and goes by them (D78); an unknown tool is an error of the protocol. */
function refusalResult(refusal: GatewayError): ToolResult {
  if (!RESULTS.has(refusal.code)) throw new RpcError(INVALID_PARAMS, refusal.message);
  return errorResult(refusal.message);
}

const RESULTS: ReadonlySet<GatewayErrorCode> = new Set<GatewayErrorCode>([
  "denied_by_policy",
  "credential_refused",
  "credential_unavailable",
]);

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
