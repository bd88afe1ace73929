import type { McpEndpointConfiguration } from "../config/configuration.ts";
import { type Admission, admitCalls, type CallPorts } from "../gateway/call-tool.ts";
import { type Challenge, challengeResponse } from "../gateway/challenge.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import { type LimitPorts, limitSubject } from "../gateway/limit-calls.ts";
import { type ResourceURLPorts, resourceMetadataURL } from "../gateway/protected-resource-metadata.ts";
import { type CalledToolPorts, calledTool } from "../gateway/search/called-tool.ts";
import { NO_REPORTS, type ToolCall } from "../gateway/tool-call.ts";
import { type LimitRefusal, refusalFacts, refusalHeaders, refusalOf } from "../limits/refusal.ts";
import { INTERNAL_ERROR, jsonRpcError, REFUSED } from "../protocol/mcp/json-rpc.ts";
import type { RequestId, RpcRequest } from "../protocol/mcp/message.ts";
import type { SealingPorts } from "../upstream/request-state/sealed-state.ts";
import { type AgentPorts, unheardAgent } from "./agent-side.ts";
import type { Admissions, Caller } from "./caller.ts";
import { withoutOwnState } from "./methods/not-connected.ts";

export type AdmissionPorts = CallPorts & ResourceURLPorts & CalledToolPorts & AgentPorts & KeepingPorts & SealingPorts;

interface KeepingPorts {
  /** Absent: nothing is known before something is written. */
  readonly storeKeepsWrites?: (() => boolean) | undefined;
}

/**
 * Decides on the tool calls among the requests while the answer can still be an HTTP status: the challenge for more scopes,
 * for another sign-in or for a good token (D14), or 503 when a refusal cannot be recorded.
 */
export async function admit(
  requests: readonly RpcRequest[],
  caller: Caller,
  endpoint: McpEndpointConfiguration,
  ports: AdmissionPorts,
): Promise<Response | Admissions> {
  const calling = requests.flatMap((request) => {
    const call = toolCall(request, caller, ports);
    return call === undefined ? [] : [{ request, call }];
  });
  const id = requests.length === 1 ? (requests[0]?.id ?? null) : null;
  if (calling.length > 0 && ports.storeKeepsWrites?.() === false) return notRecorded(id);
  const more = await limitedBatch(calling.length - 1, caller, ports);
  if (more !== undefined) return limitedAnswer(more);
  const asked = calling.map(({ request, call }) => withoutOwnState(request, call, caller, ports));
  const decided = await admitCalls(await Promise.all(asked), ports);
  if (!(decided instanceof GatewayError)) {
    // A single call without a session learns of a limit as any HTTP client does; others in the protocol.
    const [only] = decided;
    const limit = only instanceof GatewayError && caller.session === undefined ? only.limit : undefined;
    if (limit !== undefined && requests.length === 1) return limitedAnswer(limit, id);
    return new Map(calling.map(({ request }, index) => [request, decided[index] as Admission]));
  }
  if (decided.code === "not_recorded") return notRecorded(id);
  return challengeResponse(challengeOf(decided, ports), resourceMetadataURL(endpoint, ports));
}

/** A message is one request to limits; of several calls in one each further one counts, too. */
async function limitedBatch(
  further: number,
  caller: Caller,
  { limits, ownIssuer }: LimitPorts,
): Promise<LimitRefusal | undefined> {
  if (further < 1) return undefined;
  for (const stage of ["anonymous", "known"] as const) {
    const counted = limits.takeRequest("mcp", stage, limitSubject(caller, ownIssuer), further);
    const refusal = refusalOf(counted instanceof Promise ? await counted : counted);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** RFC 6585 §4, with the facts of the refusal in the headers and in the error. */
export function limitedAnswer(refusal: LimitRefusal, id: RequestId | null = null): Response {
  const headers = refusalHeaders(refusal);
  return jsonRpcError(refusal.status, REFUSED, refusal.message, { id, headers, data: refusalFacts(refusal) });
}

/** A call that cannot be recorded is not made (RFC 9110 §10.2.3: seconds). */
function notRecorded(id: RequestId | null): Response {
  const headers = { "retry-after": "1" };
  return jsonRpcError(503, INTERNAL_ERROR, "The call could not be recorded and was not made.", { id, headers });
}

function challengeOf({ code, message: description, scopes, stepUp }: GatewayError, ports: AdmissionPorts): Challenge {
  if (code === "token_refused") return { status: 401, error: "invalid_token", description, scopes: ports.scopes };
  if (code !== "insufficient_authentication") return { status: 403, error: "insufficient_scope", description, scopes };
  return { status: 401, error: "insufficient_user_authentication", description, scopes, stepUp };
}

/** Of `call_tool` the call that it asks for; undefined for what calls no app. */
function toolCall(message: RpcRequest, caller: Caller, ports: AdmissionPorts): ToolCall | undefined {
  const { id, method, params } = message;
  if (method !== "tools/call") return undefined;
  const called = calledTool(params, ports);
  if (called.kind !== "app") return undefined;
  const { identity, token, http, signal, session, operations, task } = caller;
  const { name, arguments: given, isWrapped } = called;
  const request = operations.contextOf(id);
  const sessionId = session?.record.sessionHash;
  const agent = unheardAgent(message, caller, ports);
  const made = { identity, token, request, http, signal, sessionId, agent, task };
  return { ...made, name, arguments: given, isWrapped, reports: NO_REPORTS };
}
