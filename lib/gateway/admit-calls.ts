import { type PreparedCall, prepareCall } from "./call-tool.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError, type GatewayErrorCode } from "./gateway-error.ts";

/** A call that may be made, or why it is not: told in the protocol's own answer. */
export type Admission = PreparedCall | GatewayError;

/** Refusals of a call that refuse the HTTP request, so that the agent learns of them below the protocol. */
const HTTP_REFUSALS: ReadonlySet<GatewayErrorCode> = new Set<GatewayErrorCode>([
  "insufficient_scope",
  "insufficient_authentication",
  "token_refused",
  "not_recorded",
]);

/**
 * Decides on the calls of a message before anything of it runs, so that a refusal can still be an HTTP answer: then it is
 * the first of those, else there is one admission for each call.
 */
export async function admitCalls(
  calls: readonly ToolCall[],
  gateway: Gateway,
): Promise<GatewayError | readonly Admission[]> {
  const admissions = await Promise.all(calls.map((call) => admit(call, gateway)));
  const refusal = admissions.find(
    (admission) => admission instanceof GatewayError && HTTP_REFUSALS.has(admission.code),
  );
  return refusal instanceof GatewayError ? refusal : admissions;
}

async function admit(call: ToolCall, gateway: Gateway): Promise<Admission> {
  try {
    return await prepareCall(call, gateway);
  } catch (cause) {
    if (cause instanceof GatewayError) return cause;
    throw cause;
  }
}
