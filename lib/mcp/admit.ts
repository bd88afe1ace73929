import type { McpEndpointConfiguration } from "../config/configuration.ts";
import { admitCalls } from "../gateway/admit-calls.ts";
import { challengeResponse } from "../gateway/challenge.ts";
import { type Gateway, NO_REPORTS, type ToolCall } from "../gateway/gateway.ts";
import { resourceMetadataURL } from "../gateway/protected-resource-metadata.ts";
import type { Caller } from "./caller.ts";
import { INTERNAL_ERROR, jsonRpcError } from "./json-rpc.ts";
import type { RpcRequest } from "./message.ts";

/**
 * Decides on the tool calls among the requests while the answer can still be an HTTP status: the challenge for more scopes
 * (D14), or 503 when it cannot be recorded. Undefined when all may go on.
 */
export async function admit(
  requests: readonly RpcRequest[],
  caller: Caller,
  endpoint: McpEndpointConfiguration,
  gateway: Gateway,
): Promise<Response | undefined> {
  const refusal = await admitCalls(
    requests.flatMap((request) => toolCall(request, caller)),
    gateway,
  );
  if (refusal === undefined) return undefined;
  const id = requests.length === 1 ? (requests[0]?.id ?? null) : null;
  if (refusal.code === "not_recorded") return jsonRpcError(503, INTERNAL_ERROR, refusal.message, { id });
  return challengeResponse(
    { status: 403, error: "insufficient_scope", description: refusal.message, scopes: refusal.scopes },
    resourceMetadataURL(endpoint, gateway),
  );
}

function toolCall(
  { method, params }: RpcRequest,
  { identity, request, http, signal, session }: Caller,
): readonly ToolCall[] {
  const { name, arguments: given } = params;
  if (method !== "tools/call" || typeof name !== "string") return [];
  const sessionId = session?.record.sessionHash;
  return [{ identity, request, http, signal, name, arguments: given, sessionId, reports: NO_REPORTS }];
}
