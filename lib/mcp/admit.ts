import type { McpEndpointConfiguration } from "../config/configuration.ts";
import { type Admission, admitCalls } from "../gateway/admit-calls.ts";
import { type Challenge, challengeResponse } from "../gateway/challenge.ts";
import { type Gateway, NO_REPORTS, type ToolCall } from "../gateway/gateway.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import { resourceMetadataURL } from "../gateway/protected-resource-metadata.ts";
import { calledTool } from "../gateway/search/called-tool.ts";
import { unheardAgent } from "./agent-side.ts";
import type { Caller } from "./caller.ts";
import { INTERNAL_ERROR, jsonRpcError } from "./json-rpc.ts";
import type { RpcRequest } from "./message.ts";

/** What was decided on each tool call of a message. */
export type Admissions = ReadonlyMap<RpcRequest, Admission>;

/**
 * Decides on the tool calls among the requests while the answer can still be an HTTP status: the challenge for more scopes,
 * for another sign-in or for a good token (D14), or 503 when a refusal cannot be recorded.
 */
export async function admit(
  requests: readonly RpcRequest[],
  caller: Caller,
  endpoint: McpEndpointConfiguration,
  gateway: Gateway,
): Promise<Response | Admissions> {
  const calling = requests.flatMap((request) => {
    const call = toolCall(request, caller, gateway);
    return call === undefined ? [] : [{ request, call }];
  });
  const decided = await admitCalls(
    calling.map(({ call }) => call),
    gateway,
  );
  if (!(decided instanceof GatewayError)) {
    return new Map(calling.map(({ request }, index) => [request, decided[index] as Admission]));
  }
  const id = requests.length === 1 ? (requests[0]?.id ?? null) : null;
  if (decided.code === "not_recorded") return jsonRpcError(503, INTERNAL_ERROR, decided.message, { id });
  return challengeResponse(challengeOf(decided, gateway), resourceMetadataURL(endpoint, gateway));
}

function challengeOf({ code, message: description, scopes, stepUp }: GatewayError, gateway: Gateway): Challenge {
  if (code === "token_refused") return { status: 401, error: "invalid_token", description, scopes: gateway.scopes };
  if (code !== "insufficient_authentication") return { status: 403, error: "insufficient_scope", description, scopes };
  return { status: 401, error: "insufficient_user_authentication", description, scopes, stepUp };
}

/** Of `call_tool` the call that it asks for; undefined for what calls no app. */
function toolCall(message: RpcRequest, caller: Caller, gateway: Gateway): ToolCall | undefined {
  const { id, method, params } = message;
  if (method !== "tools/call") return undefined;
  const called = calledTool(params, gateway);
  if (called.kind !== "app") return undefined;
  const { identity, token, http, signal, session, operations } = caller;
  const { name, arguments: given, isWrapped } = called;
  const request = operations.contextOf(id);
  const sessionId = session?.record.sessionHash;
  const agent = unheardAgent(message, caller, gateway);
  const made = { identity, token, request, http, signal, sessionId, agent };
  return { ...made, name, arguments: given, isWrapped, reports: NO_REPORTS };
}
