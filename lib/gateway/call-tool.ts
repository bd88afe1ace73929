import type { Invocation } from "../bridge/response/invocation.ts";
import type { ForwardedCall } from "../proxy/forwarded.ts";
import { beginAudit, completeAudit } from "./audit-call.ts";
import { authorizeTool } from "./authorize-tool.ts";
import { evaluatePolicies } from "./evaluate-policies.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { invoke } from "./invoke.ts";
import { locateTool } from "./locate-tool.ts";
import { type OutboundCredential, obtainCredential } from "./obtain-credential.ts";
import { requireAuthentication } from "./require-authentication.ts";
import type { LocatedTool } from "./tool-index.ts";

/** A call that may be made, with what it will carry. */
export interface PreparedCall {
  readonly call: ToolCall;
  readonly located: LocatedTool;
  readonly credential: OutboundCredential;
}

/** The first half of a call's life, while its answer can still be an HTTP status. Throws a `GatewayError`: then it is not made. */
export async function prepareCall(call: ToolCall, gateway: Gateway): Promise<PreparedCall> {
  const located = await locateTool(call, gateway);
  await authorizeTool(located, call, gateway);
  await requireAuthentication(located, call, gateway);
  await evaluatePolicies(located, call, gateway);
  const credential = await obtainCredential(located, call, gateway);
  return { call, located, credential };
}

/** The second half. Throws `not_recorded` when the call is not made; what the upstream does wrong is a result. */
export async function callTool(
  { call, located, credential }: PreparedCall,
  gateway: Gateway,
): Promise<Invocation | ForwardedCall> {
  const record = await beginAudit(located, call, gateway);
  return completeAudit(record, call, gateway, () => invoke(located, credential, call, gateway));
}
