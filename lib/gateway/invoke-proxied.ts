import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { errorResult } from "../protocol/mcp/tool-result.ts";
import type { RuledArguments } from "../tool-rules/argument-rules.ts";
import { WithheldError } from "../tool-rules/result-rule.ts";
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
import { forwardRuled, ruledForwarded, withheldAnswer } from "./ruled-answer.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { Invocable, MadeCall, ProxiedTool, ToolFacts } from "./tool-index.ts";
import { ruledArguments } from "./tool-rules.ts";

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
  const known = new WeakMap<ToolCall, RuledArguments | undefined>();
  const ruledOf = (call: ToolCall): RuledArguments | undefined => {
    if (located.rules === undefined || known.has(call)) return known.get(call);
    const ruled = ruledProxied(located, call);
    known.set(call, ruled);
    return ruled;
  };
  return {
    ...located,
    argumentsOf: (call) => {
      const ruled = ruledOf(call);
      return ruled?.outcome === "applied" ? ruled.written : givenArguments(call);
    },
    ...(located.rules !== undefined && { ruledOf }),
    invoke: (given, credential, call) => invokeProxied(located, given, credential, call, ports, untold),
  };
}

/** What the rules leave to the server it checks itself: it may follow another dialect of JSON Schema. */
function ruledProxied(located: ProxiedTool, call: ToolCall): RuledArguments | undefined {
  const { identity, request } = call;
  const given = { read: call.arguments, written: givenArguments(call) };
  return ruledArguments(located, given, { identity, requestId: request.requestId });
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
  const { app, tool, results } = located;
  const { agent } = call;
  try {
    if (untold !== undefined) throw untold.cause;
    const told = tellLinks(app, call, ports);
    const request = upstreamCall(located, given, agent, told);
    const { forwarded, facts } = await forwardRuled(call, results, (caller) =>
      forwardRequest(request, located, credential, caller, ports),
    );
    return { ...callOutcome(facts), ...forwarded };
  } catch (thrown) {
    if (thrown instanceof WithheldError) return { outcome: "success", ...withheldAnswer(thrown, agent) };
    if (thrown instanceof GatewayError)
      return { result: errorResult(thrown.message), outcome: "denied", reason: thrown.code, needs: thrown.needs };
    const failure = failureOf(thrown, { signal: call.signal, app });
    if (failure === undefined) throw thrown;
    const { outcome, reason, cause, text, error, status } = failure;
    if (error !== undefined)
      return { outcome, reason, ...ruledForwarded(refusedMessage(error, status, agent), results, agent) };
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
 * The call as the upstream gets it: everything that the agent wrote, with the upstream's own name of the tool. Of a tool whose calls
 * people approve, what they are not shown does not go out.
 */
function upstreamCall(
  { tool, app, approval }: ProxiedTool,
  given: unknown,
  agent: AgentSide,
  told: (uri: string) => void,
): UpstreamRequest {
  const { arguments: _, ...all } = withOwnTasks(agent.params(), app);
  const others = approval === undefined ? all : shownOrOfProtocol(all);
  return {
    id: agent.id,
    method: "tools/call",
    params: { ...others, name: tool.localName, ...(given !== undefined && { arguments: given }) },
    rules: rulesOf(app, "tools/call", told),
    ...paramHeadersOf(tool, given),
  };
}

/** Answers to questions are shown (`answeredOf`). What else an agent adds may say anything to a server. */
function shownOrOfProtocol({ _meta, task, ...params }: JsonObject): JsonObject {
  const kept = Object.entries(params).filter(([name]) => ANSWERED.includes(name));
  const meta = Object.entries(isJsonObject(_meta) ? _meta : {}).filter(
    ([name, value]) => OF_REQUESTS.includes(name) || (name === "traceparent" && TRACE.test(String(value))),
  );
  const ttl = isJsonObject(task) && typeof task.ttl === "number" ? { ttl: task.ttl } : {};
  return {
    ...Object.fromEntries(kept),
    ...(task !== undefined && { task: ttl }),
    ...(_meta !== undefined && { _meta: Object.fromEntries(meta) }),
  };
}

/** W3C Trace Context, version 00. */
const TRACE = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const ANSWERED = ["inputResponses", "requestState"];
/** Members of `_meta` that MCP gives a meaning. `tracestate` is none of them: it takes any text. */
const OF_REQUESTS = [
  "progressToken",
  ...["protocolVersion", "clientInfo", "clientCapabilities", "logLevel"].map(
    (name) => `io.modelcontextprotocol/${name}`,
  ),
];

/** The arguments of a call as they were written; of a tool that is called by way of `call_tool` they stand one level below. */
function givenArguments({ isWrapped, agent }: ToolCall): unknown {
  const params = agent.params();
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
