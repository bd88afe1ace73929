import { type Admission, type CallPorts, callTool, type PreparedCall } from "../../gateway/call-tool.ts";
import { GatewayError, type GatewayErrorCode } from "../../gateway/gateway-error.ts";
import { calledTool } from "../../gateway/search/called-tool.ts";
import { nearestNames, nearText, unknownToolText } from "../../gateway/search/nearest-names.ts";
import { runMetaTool } from "../../gateway/search/run-meta-tool.ts";
import type { Search } from "../../gateway/search/search.ts";
import { type SearchingPorts, searchedBy } from "../../gateway/search/searched.ts";
import type { CallReports, ToolCall } from "../../gateway/tool-call.ts";
import { refusalFacts } from "../../limits/refusal.ts";
import { stackOf } from "../../logging/cause.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, REFUSED, RpcError } from "../../protocol/mcp/json-rpc.ts";
import { isRequestId, metaOf, type RpcRequest } from "../../protocol/mcp/message.ts";
import { SSE_REVISION } from "../../protocol/mcp/revisions.ts";
import { type ContentBlock, errorResult, resourceBlock, type ToolResult } from "../../protocol/mcp/tool-result.ts";
import { MCP_LOG_LEVELS } from "../../stores/mcp-sessions.ts";
import type { Forwarded } from "../../upstream/answer.ts";
import { type AgentPorts, agentSideOf, listingCaller } from "../agent-side.ts";
import { type Caller, type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";

export type CallingPorts = CallPorts & MetaToolPorts;

/**
 * `tools/call`, which was decided on already. What the upstream does wrong is a result with `isError`, and so is what the
 * agent can do nothing about; any other call that is not made is an error.
 */
export async function toolsCall(
  message: RpcRequest,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  const { id, params } = message;
  const admission = caller.admissions.get(message);
  const { signal, operations } = caller;
  const called = () => (admission instanceof GatewayError ? refusalResult(admission) : run(admission as PreparedCall));
  const result = (await metaToolResult(message, admission, caller, ports)) ?? (await called());
  if ("kind" in result) return result;
  if (result.isError === true) operations.fail(id, "tool_error");
  return resultAnswer({ ...result });

  async function run(prepared: PreparedCall): Promise<ToolResult | Forwarded> {
    const reports = reportsOf(metaOf(params).progressToken, caller);
    const call = { ...prepared.call, signal, reports, agent: agentSideOf(message, caller, ports) };
    try {
      const made = await callTool({ ...prepared, call }, ports);
      return "kind" in made ? made : contentOfRevision(made.result, call.name, caller);
    } catch (cause) {
      throw rpcError(cause, call);
    }
  }
}

/** The model reads results and goes by them (D78); an unknown tool is an error of the protocol. */
function refusalResult(refusal: GatewayError): ToolResult {
  if (refusal.limit !== undefined) throw new RpcError(REFUSED, refusal.message, refusalFacts(refusal.limit));
  if (!RESULTS.has(refusal.code)) throw new RpcError(INVALID_PARAMS, refusal.message);
  return errorResult(refusal.message);
}

const RESULTS: ReadonlySet<GatewayErrorCode> = new Set<GatewayErrorCode>([
  "denied_by_policy",
  "stopped",
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
    if (cause.limit !== undefined) return new RpcError(REFUSED, cause.message, refusalFacts(cause.limit));
    return new RpcError(cause.code === "not_recorded" ? INTERNAL_ERROR : INVALID_PARAMS, cause.message);
  }
  call.request.logger.error("tool call failed", { tool: call.name, cause: stackOf(cause) });
  return new RpcError(INTERNAL_ERROR, "The call could not be completed.");
}

type MetaToolPorts = AgentPorts & Omit<SearchingPorts, "search"> & { readonly search: Search | undefined };

/**
 * What `search_tools` and `describe_tools` answer, and `call_tool` where it names no tool that there is; undefined where a call
 * of an app was decided on. Throws an `RpcError` for a call of no tool, with names near to it (D102).
 */
async function metaToolResult(
  message: RpcRequest,
  admission: Admission | undefined,
  context: MethodContext,
  ports: MetaToolPorts,
): Promise<ToolResult | undefined> {
  const { search } = ports;
  const called = calledTool(message.params, ports);
  if (called.kind === "meta" && search !== undefined) {
    const asking = listingCaller(message, context, ports);
    return runMetaTool(called.name, called.arguments, asking, { ...ports, search });
  }
  if (called.kind !== "app") throw new RpcError(INVALID_PARAMS, "params.name must be the name of a tool.");
  const isUnknown = admission instanceof GatewayError && admission.code === "unknown_tool";
  if (!isUnknown || search === undefined) return undefined;
  const asking = listingCaller(message, context, ports);
  const searched = await searchedBy(asking, ports);
  const near = await nearestNames([called.name], searched, asking, { ...ports, search });
  const nearest = near.get(called.name);
  if (called.isWrapped) return errorResult(unknownToolText(called.name, nearest));
  throw new RpcError(INVALID_PARAMS, `${admission.message}${nearText(nearest)}`);
}

/** A tool's result with nothing in it that the client's revision does not know: 2024-11-05 has no audio. */
function contentOfRevision(result: ToolResult, tool: string, { session, http }: Caller): ToolResult {
  const revision = session?.record.protocolVersion ?? http.headers.get("mcp-protocol-version");
  if (revision !== SSE_REVISION) return result;
  return { ...result, content: result.content.map((block) => withoutAudio(block, tool)) };
}

function withoutAudio(block: ContentBlock, tool: string): ContentBlock {
  return block.type === "audio" ? resourceBlock(tool, block.mimeType, block.data) : block;
}
