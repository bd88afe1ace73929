import { isJsonObject } from "../kernel/json.ts";
import { errorResult } from "../protocol/mcp/tool-result.ts";
import type { AgentSide } from "../upstream/agent-side.ts";
import { callOutcome } from "../upstream/answer.ts";
import { failureOf, refusedMessage } from "../upstream/failure-of.ts";
import { rulesOf } from "../upstream/names/rules-of.ts";
import { withOwnTasks } from "../upstream/names/task-id.ts";
import type { UpstreamRequest } from "../upstream/spoken-upstream.ts";
import { isExactNumber } from "../upstream/wire/exact-json.ts";
import { GatewayError } from "./gateway-error.ts";
import type { Proxies } from "./proxied/proxies.ts";
import { type ForwardingPorts, forwardRequest, tellLinks } from "./proxied/reach-upstream.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { Invocable, MadeCall, ProxiedTool, ToolFacts } from "./tool-index.ts";

/** What it takes to call tools of upstreams. */
type CallingPorts = ForwardingPorts & { readonly proxies: Pick<Proxies, "givenLinks"> };

/**
 * The tool, which forwards its calls with the ports.
 *
 * @param untold why nobody knows whether there is the tool: its calls fail for this
 */
export function callableProxied(
  located: ProxiedTool,
  ports: CallingPorts,
  untold?: { readonly cause: unknown },
): ProxiedTool & Invocable {
  return {
    ...located,
    argumentsOf: (call) => givenArguments(call),
    invoke: (given, credential, call) => invokeProxied(located, given, credential, call, ports, untold),
  };
}

/** Forwards the call with the credential. The upstream's answer is the answer; where there is none, a result says why. */
async function invokeProxied(
  located: ProxiedTool,
  given: unknown,
  credential: OutboundCredential,
  call: ToolCall,
  ports: CallingPorts,
  untold: { readonly cause: unknown } | undefined,
): Promise<MadeCall> {
  const { app, tool } = located;
  const { agent } = call;
  try {
    if (untold !== undefined) throw untold.cause;
    const told = tellLinks(app, call, ports);
    const request = upstreamCall(located, given, agent, told);
    const { forwarded, facts } = await forwardRequest(request, located, credential, call, ports);
    return { ...forwarded, ...callOutcome(facts) };
  } catch (thrown) {
    if (thrown instanceof GatewayError)
      return { result: errorResult(thrown.message), outcome: "denied", reason: thrown.code, needs: thrown.needs };
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

/**
 * The call as the upstream gets it: everything that the agent wrote, with the upstream's own name of the tool.
 */
function upstreamCall(
  { tool, app }: ProxiedTool,
  given: unknown,
  agent: AgentSide,
  told: (uri: string) => void,
): UpstreamRequest {
  const { params } = agent;
  const { arguments: _, ...others } = withOwnTasks(params, app);
  return {
    id: agent.id,
    method: "tools/call",
    params: { ...others, name: tool.localName, ...(given !== undefined && { arguments: given }) },
    rules: rulesOf(app, "tools/call", told),
    ...paramHeadersOf(tool, given),
  };
}

/** The arguments of a call as they were written; of a tool that is called by way of `call_tool` they stand one level below. */
function givenArguments({ isWrapped, agent: { params } }: ToolCall): unknown {
  return isWrapped && isJsonObject(params.arguments) ? params.arguments.arguments : params.arguments;
}

/** Arguments that the headers repeat (MCP 2026-07-28, Custom Headers from Tool Parameters), made of the body that goes out. */
function paramHeadersOf({ paramHeaders = [] }: ToolFacts, given: unknown): Pick<UpstreamRequest, "paramHeaders"> {
  const repeated = paramHeaders.flatMap(({ name, path }) => {
    const value = path.reduce<unknown>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), given);
    const text = isExactNumber(value) ? JSON.stringify(value) : String(value);
    return isScalar(value) ? [[name, text] as const] : [];
  });
  return repeated.length === 0 ? {} : { paramHeaders: Object.fromEntries(repeated) };
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) || isExactNumber(value);
}
