import type { Invocation } from "../bridge/response/invocation.ts";
import { errorResult } from "../bridge/tool-result.ts";
import { callOutcome } from "../proxy/call-outcome.ts";
import { failureOf } from "../proxy/failure-of.ts";
import type { ForwardedCall } from "../proxy/forwarded.ts";
import { refusedMessage } from "../proxy/refused-message.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import type { OutboundCredential } from "./obtain-credential.ts";
import { forwardRequest } from "./proxied/forward-request.ts";
import { upstreamCall } from "./proxied/upstream-call.ts";
import type { ProxiedTool } from "./tool-index.ts";

/** Forwards the call with the credential. The upstream's answer is the answer; where there is none, a result says why. */
export async function invokeProxied(
  located: ProxiedTool,
  credential: OutboundCredential,
  call: ToolCall,
  gateway: Gateway,
): Promise<Invocation | ForwardedCall> {
  const { app, tool } = located;
  const { agent } = call;
  try {
    const request = upstreamCall(located, call, agent);
    const { forwarded, facts } = await forwardRequest(request, located, credential, call, gateway);
    return { ...forwarded, ...callOutcome(facts) };
  } catch (thrown) {
    const failure = failureOf(thrown, { signal: call.signal, app });
    if (failure === undefined) throw thrown;
    const { outcome, reason, cause, text, error, status } = failure;
    if (error !== undefined) return { ...refusedMessage(error, status, agent), outcome, reason };
    if (outcome === "upstream_error")
      call.request.logger.warn("the upstream did not do what it was asked for", {
        app: app.name,
        tool: tool.name,
        reason,
        cause,
      });
    return { result: errorResult(text), outcome, reason };
  }
}
