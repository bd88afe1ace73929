import { keepOutcome, textOutcome } from "../../gateway/approval-task.ts";
import {
  type Admission,
  admitAgain,
  type CallPorts,
  callTool,
  isPrepared,
  isWaiting,
  type PreparedCall,
  recordUnconnected,
  recordWaiting,
  type UnconnectedCall,
  type WaitingCall,
} from "../../gateway/call-tool.ts";
import { wantingMore } from "../../gateway/credentials/person-token.ts";
import { GatewayError, type GatewayErrorCode } from "../../gateway/gateway-error.ts";
import { calledTool } from "../../gateway/search/called-tool.ts";
import { nearestNames, nearText, unknownToolText } from "../../gateway/search/nearest-names.ts";
import { runMetaTool } from "../../gateway/search/run-meta-tool.ts";
import type { Search } from "../../gateway/search/search.ts";
import { type SearchingPorts, searchedBy } from "../../gateway/search/searched.ts";
import type { CallReports, ToolCall } from "../../gateway/tool-call.ts";
import type { MadeCall } from "../../gateway/tool-index.ts";
import { refusalFacts } from "../../limits/refusal.ts";
import { stackOf } from "../../logging/cause.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, REFUSED, RpcError } from "../../protocol/mcp/json-rpc.ts";
import { isRequestId, metaOf, type RpcRequest } from "../../protocol/mcp/message.ts";
import { SSE_REVISION } from "../../protocol/mcp/revisions.ts";
import { type ContentBlock, errorResult, resourceBlock, type ToolResult } from "../../protocol/mcp/tool-result.ts";
import { MCP_LOG_LEVELS } from "../../stores/mcp-sessions.ts";
import type { AgentSide } from "../../upstream/agent-side.ts";
import { type AgentPorts, agentSideOf, listingCaller } from "../agent-side.ts";
import { type Caller, type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";
import { refuseOtherProxiedParams } from "../stateless/headers.ts";
import {
  type ConnectPorts,
  hasConnected,
  invalidRequestState,
  isDeclined,
  type Repetition,
  readRepetition,
  tellDeclined,
  tellNotConnected,
  withoutRepetition,
} from "./not-connected.ts";
import {
  type AwaitedRepetition,
  isDecided,
  readAwaited,
  tellUnopened,
  tellWaiting,
  type WaitingPorts,
} from "./waits-for-approval.ts";

export type CallingPorts = CallPorts & MetaToolPorts & ConnectPorts & WaitingPorts;

/**
 * `tools/call`, which was decided on already. What the upstream does wrong is a result with `isError`, and so is what the
 * agent can do nothing about; any other call that is not made is an error.
 */
export async function toolsCall(
  message: RpcRequest,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  const { operations } = caller;
  const admission = caller.admissions.get(message);
  const own = await metaToolResult(message, admission, caller, ports);
  const answer = own === undefined ? await answerCall(message, admission, caller, ports) : resultAnswer({ ...own });
  if (answer.kind === "result" && answer.result.isError === true) operations.fail(message.id, "tool_error");
  return answer;
}

/** Of a call that waits for a person the answer says so; once the person has done it, the call is decided on anew. */
async function answerCall(
  message: RpcRequest,
  admission: Admission | undefined,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  if (admission instanceof GatewayError) return resultAnswer({ ...refusalResult(admission) });
  if (admission === undefined) throw new Error("a call was not decided on");
  const agent = agentSideOf(message, caller, ports);
  const awaited =
    admission.located.approval === undefined ? undefined : await readAwaited(message, agent, caller, ports);
  if (awaited !== undefined) return awaitedAnswer(awaited, message, admission, caller, ports);
  const repetition = usesConnection(admission) ? await readRepetition(message, agent, caller, ports) : undefined;
  if (repetition !== undefined) return repeated(repetition, message, admission, caller, ports);
  if (isPrepared(admission)) {
    if (isForeignState(admission, agent)) {
      admission.giveBack();
      throw invalidRequestState();
    }
    return run(admission, message, agent, caller, ports);
  }
  if (isWaiting(admission)) {
    if (isForeignState(admission, agent)) throw invalidRequestState();
    return waiting(admission, message, agent, caller, ports);
  }
  await recorded(admission, ports);
  if (agent.generation === "stateless" && agent.params().requestState !== undefined) throw invalidRequestState();
  return tellNotConnected(admission.needs, message, agent, caller, ports);
}

/** The agent comes back after it was asked to let its person decide: what the store says counts, not that it comes back. */
async function awaitedAnswer(
  awaited: AwaitedRepetition,
  message: RpcRequest,
  admission: PreparedCall | UnconnectedCall | WaitingCall,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  const agent = withoutRepetition(agentSideOf(message, caller, ports), awaited.asked);
  const isStill = isWaiting(admission) && !(await isDecided(awaited, caller, ports));
  const anew = isWaiting(admission) && !isStill ? await admitAgain(admission, ports) : admission;
  if (anew instanceof GatewayError) return resultAnswer({ ...refusalResult(anew) });
  if (isPrepared(anew)) {
    refuseOtherProxiedParams(caller.http, anew);
    return run(anew, message, agent, caller, ports);
  }
  if (!isWaiting(anew)) {
    await recorded(anew, ports);
    return tellNotConnected(anew.needs, message, agent, caller, ports);
  }
  await recorded(anew, ports);
  return isDeclined(awaited) ? tellUnopened(anew, ports) : tellWaiting(anew, message, agent, caller, ports, true);
}

async function waiting(
  admission: WaitingCall,
  message: RpcRequest,
  agent: AgentSide,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  await recorded(admission, ports);
  return tellWaiting(admission, message, agent, caller, ports);
}

function usesConnection({ located }: Pick<PreparedCall, "located">): boolean {
  return located.connection !== undefined;
}

/** Of an app without an MCP server every state is ours: one that does not open was altered, or is of another request. */
function isForeignState({ located }: Pick<PreparedCall, "located">, { generation, params }: AgentSide): boolean {
  const mayAsk = located.connection !== undefined || located.approval !== undefined;
  const isOurs = located.kind === "bridge" && mayAsk;
  return isOurs && generation === "stateless" && params().requestState !== undefined;
}

/** The agent comes back after it was asked to let its person connect. */
async function repeated(
  repetition: Repetition,
  message: RpcRequest,
  admission: PreparedCall | UnconnectedCall | WaitingCall,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  const agent = withoutRepetition(agentSideOf(message, caller, ports));
  if (isWaiting(admission)) return waiting(admission, message, agent, caller, ports);
  const unconnected = isPrepared(admission) ? lackingScopes(admission, repetition) : admission;
  if (unconnected === undefined) return run(admission as PreparedCall, message, agent, caller, ports);
  if (isPrepared(admission)) admission.giveBack();
  const { needs } = unconnected;
  if (!(await hasConnected(needs.want, repetition, caller, ports))) {
    await recorded(unconnected, ports);
    if (isDeclined(repetition)) return tellDeclined(needs, message);
    return tellNotConnected(needs, message, agent, caller, ports);
  }
  const anew = await admitAgain(unconnected, ports);
  if (anew instanceof GatewayError) return resultAnswer({ ...refusalResult(anew) });
  if (isPrepared(anew)) {
    refuseOtherProxiedParams(caller.http, anew);
    return run(anew, message, agent, caller, ports);
  }
  if (isWaiting(anew)) return waiting(anew, message, agent, caller, ports);
  await recorded(anew, ports);
  return tellNotConnected(anew.needs, message, agent, caller, ports);
}

/** The upstream wanted scopes that the configuration does not know of: only with these it makes sense to ask it again. */
function lackingScopes(
  { call, located, credential: { want } }: PreparedCall,
  { scopes }: Repetition,
): UnconnectedCall | undefined {
  const missing = scopes.filter((scope) => want?.scopes.includes(scope) !== true);
  if (want === undefined || missing.length === 0) return undefined;
  const needs = {
    want: wantingMore(want, missing),
    connector: want.outbound.connector,
    why: "scopes",
    missing,
  } as const;
  return { call, located, needs };
}

export async function recorded(unmade: UnconnectedCall | WaitingCall, ports: CallingPorts): Promise<void> {
  try {
    await (isWaiting(unmade) ? recordWaiting(unmade, ports) : recordUnconnected(unmade, ports));
  } catch (cause) {
    throw rpcError(cause, unmade.call);
  }
}

async function run(
  prepared: PreparedCall,
  message: RpcRequest,
  agent: AgentSide,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer> {
  const made = await makeCall(prepared, message, agent, caller, ports);
  if (made instanceof GatewayError) return resultAnswer({ ...refusalResult(made) });
  const { use, call } = prepared;
  if (use?.isTask) await keepOutcome(use.approvalId, textOutcome(ANSWERED), "consumed", call.request.logger, ports);
  return made;
}

/** What the agent is answered, or a refusal where its approval was used up by another request. */
export async function makeCall(
  prepared: PreparedCall,
  message: RpcRequest,
  agent: AgentSide,
  caller: MethodContext,
  ports: CallingPorts,
): Promise<MethodAnswer | GatewayError> {
  const reports = reportsOf(metaOf(message.params).progressToken, caller);
  const call = { ...prepared.call, signal: caller.signal, reports, agent };
  let made: MadeCall;
  try {
    made = await callTool({ ...prepared, call }, ports);
  } catch (cause) {
    if (cause instanceof GatewayError && ENDED.has(cause.code)) return cause;
    throw rpcError(cause, call);
  }
  if (made.needs !== undefined) return tellNotConnected(made.needs, message, agent, caller, ports);
  return "kind" in made ? made : resultAnswer({ ...contentOfRevision(made.result, call.name, caller) });
}

/** What was approved, here or by a decision point, is used up or over. */
const ENDED: ReadonlySet<GatewayErrorCode> = new Set<GatewayErrorCode>(["approval_used", "denied_by_policy"]);

/** For the task of a call that the agent made without it. */
const ANSWERED = "The call was made by another request, which got its answer.";

/** The model reads results and goes by them (D78); an unknown tool is an error of the protocol. */
export function refusalResult(refusal: GatewayError): ToolResult {
  if (refusal.limit !== undefined) throw new RpcError(REFUSED, refusal.message, refusalFacts(refusal.limit));
  if (!RESULTS.has(refusal.code)) throw new RpcError(INVALID_PARAMS, refusal.message);
  return errorResult(refusal.message);
}

const RESULTS: ReadonlySet<GatewayErrorCode> = new Set<GatewayErrorCode>([
  "denied_by_policy",
  "denied_by_rule",
  "invalid_arguments",
  "stopped",
  "tool_held",
  "credential_refused",
  "credential_unavailable",
  "no_person",
  "approval_refused",
  "approval_used",
  "too_many_approvals",
  "access_requested",
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
