import { holdsScopes, isHidden, refuseForScopes } from "./authorize-tool.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { locateTool } from "./locate-tool.ts";

/**
 * Decides on the calls of a message before anything of it runs, so that a refusal can still be an HTTP answer. Unknown
 * tools pass: the protocol has its own answer for them.
 */
export async function admitCalls(calls: readonly ToolCall[], gateway: Gateway): Promise<GatewayError | undefined> {
  for (const call of calls) {
    const refusal = await admit(call, gateway);
    if (refusal !== undefined && refusal.code !== "unknown_tool") return refusal;
  }
  return undefined;
}

async function admit(call: ToolCall, gateway: Gateway): Promise<GatewayError | undefined> {
  try {
    const located = await locateTool(call, gateway);
    if (holdsScopes(located, call)) return undefined;
    // What a policy hides is answered as an unknown tool is, and recorded there.
    return (await isHidden(located, call, gateway)) ? undefined : await refuseForScopes(located, call, gateway);
  } catch (cause) {
    if (cause instanceof GatewayError) return cause;
    throw cause;
  }
}
