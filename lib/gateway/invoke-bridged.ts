import { lazyMap } from "../kernel/lazy-map.ts";
import { invokeOperation, type PreparedRequest, prepareRequest } from "../openapi/invoke.ts";
import type { Invocation } from "../openapi/response/invocation.ts";
import type { SchemaCheck } from "../openapi/validation.ts";
import { errorResult } from "../protocol/mcp/tool-result.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import { tracedFetch } from "../telemetry/http-client.ts";
import type { RuledArguments } from "../tool-rules/argument-rules.ts";
import { withoutToken } from "./credentials/echoed-secrets.ts";
import { insufficientScope, type NotConnected } from "./credentials/person-token.ts";
import { carriedBy, schemesInUse } from "./credentials/upstream-auth.ts";
import { GatewayError } from "./gateway-error.ts";
import { type CredentialPorts, renewCredential } from "./obtain-credential.ts";
import { ruledInvocation } from "./ruled-answer.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { BridgedTool, CallableIndex, Invocable, MadeCall, ToolIndex } from "./tool-index.ts";
import { ruledArguments } from "./tool-rules.ts";
import type { UpstreamStates } from "./upstream-states.ts";

/** What it takes to call a REST API. */
export interface BridgePorts extends CredentialPorts {
  readonly fetch: typeof globalThis.fetch;
  /** Connections as an entry of `tls` says. */
  readonly outbound: (tls: string) => typeof globalThis.fetch;
  readonly check: SchemaCheck;
  readonly upstreams: Pick<UpstreamStates, "note">;
}

/** What an API answered, and what its person has to connect before it answers otherwise. */
type BridgedCall = Invocation & Pick<MadeCall, "needs">;

/** The tools, each of which calls its API with the ports. */
export function callableTools(tools: ToolIndex, ports: BridgePorts): CallableIndex {
  const requests = new WeakMap<ToolCall, PreparedRequest>();
  const ruled = new WeakMap<ToolCall, RuledArguments | undefined>();
  const ruledOf = (located: BridgedTool, call: ToolCall): RuledArguments | undefined => {
    if (located.rules === undefined || ruled.has(call)) return ruled.get(call);
    const { identity, request } = call;
    const given = { read: call.arguments, written: call.arguments };
    const made = ruledArguments(located, given, { identity, requestId: request.requestId }, ports.check);
    ruled.set(call, made);
    return made;
  };
  const argumentsOf = (located: BridgedTool, call: ToolCall): unknown => {
    const made = ruledOf(located, call);
    return made?.outcome === "applied" ? made.read : call.arguments;
  };
  const requestOf = (located: BridgedTool, call: ToolCall): PreparedRequest => {
    const { open, app } = located;
    const request =
      requests.get(call) ?? prepareRequest(open(), argumentsOf(located, call), { ...app, check: ports.check });
    requests.set(call, request);
    return request;
  };
  const callable = (located: BridgedTool): BridgedTool & Invocable => ({
    ...located,
    argumentsOf: (call) => argumentsOf(located, call),
    ...(located.rules !== undefined && { ruledOf: (call) => ruledOf(located, call) }),
    requestOf: (call) => requestOf(located, call),
    invoke: async (_, credential, call) =>
      ruledInvocation(await invokeBridged(located, requestOf(located, call), credential, call, ports), located.results),
  });
  return lazyMap(tools, callable);
}

/** Calls the API with the credential, and takes note of whether it answered. */
async function invokeBridged(
  located: BridgedTool,
  prepared: PreparedRequest,
  credential: OutboundCredential,
  call: ToolCall,
  ports: BridgePorts,
): Promise<BridgedCall> {
  const { tool, app } = located;
  const { reports } = call;
  const { method, path } = tool;
  reports.log("debug", app.name, { message: "calling the API", tool: tool.name, method, path });
  const answered = await invokeWithRenewal(located, prepared, credential, call, ports);
  const invocation = located.withoutSecrets?.(answered) ?? answered;
  ports.upstreams.note(app.name, invocation);
  const { outcome, reason = "", cause } = invocation;
  if (outcome === "upstream_error" && NO_ANSWER.includes(reason))
    call.request.logger.warn("the API did not answer", { app: app.name, tool: tool.name, reason, cause });
  if (outcome === "success") reports.log("info", app.name, { message: "the API answered", tool: tool.name });
  else reports.log(LEVELS[outcome], app.name, { message: "the call failed", tool: tool.name, outcome, reason });
  return invocation;
}

/** Whoever answers 401 has done nothing yet: with another token the call may be made once more (checklist 29). */
async function invokeWithRenewal(
  located: BridgedTool,
  prepared: PreparedRequest,
  credential: OutboundCredential,
  call: ToolCall,
  ports: BridgePorts,
): Promise<BridgedCall> {
  const first = await invokeOnce(located, prepared, credential, call, ports);
  if (!isUnauthorized(first)) return first;
  if (credential.token === undefined) return carriesCredential(located) ? telling(REFUSED_CONFIGURED, first) : first;
  const renewed = await renewCredential(credential, located, call, ports).catch(asNotConnected);
  if (renewed !== undefined && "outcome" in renewed) return renewed;
  const last = renewed === undefined ? first : await invokeOnce(located, prepared, renewed, call, ports);
  return isUnauthorized(last) ? telling(REFUSED_TOKEN, last) : last;
}

/** The provider takes the connection no more. */
function asNotConnected(cause: unknown): BridgedCall {
  if (!(cause instanceof GatewayError) || cause.needs === undefined) throw cause;
  return notConnected(cause.needs, cause.message);
}

function notConnected(needs: NotConnected, text: string): BridgedCall {
  return { result: errorResult(text), outcome: "denied", reason: "not_connected", needs };
}

async function invokeOnce(
  located: BridgedTool,
  prepared: PreparedRequest,
  credential: OutboundCredential,
  call: ToolCall,
  { fetch, outbound, check }: BridgePorts,
): Promise<BridgedCall> {
  const { tool, open, app } = located;
  const { request, signal, reports, isWrapped = false } = call;
  const { baseURL, timeout, tls } = app;
  const connect = tls === undefined ? fetch : outbound(tls);
  let needs: NotConnected | undefined;
  const watched: typeof globalThis.fetch = async (input, init) => {
    const response = await connect(input, init);
    needs = insufficientScope(response.status, response.headers.get("www-authenticate"), credential);
    return response;
  };
  const traced = tracedFetch(watched, request.telemetry, () => tool.path);
  const carried = carriedBy(located, credential, call);
  const how = {
    baseURL,
    timeout,
    fetch: traced,
    check,
    signal,
    progress: reports.progress,
    lenient: isWrapped,
    prepared,
  };
  const invocation = await invokeOperation(open(), call.arguments, { ...carried, ...how });
  if (needs !== undefined) return notConnected(needs, MORE_SCOPES);
  return credential.token === undefined ? invocation : withoutToken(invocation, credential.token);
}

function isUnauthorized({ reason }: Invocation): boolean {
  return reason === "http_401";
}

function carriesCredential({ app, open }: BridgedTool): boolean {
  return schemesInUse(app, open()).length > 0;
}

/** The agent must not take its own token for the one that was refused. */
function telling(text: string, invocation: Invocation): Invocation {
  const { result } = invocation;
  return { ...invocation, result: { ...result, content: [...result.content, { type: "text", text }] } };
}

const MORE_SCOPES = "The API wants more scopes than the person's connection has.";
const REFUSED_TOKEN = "The API refused the token that the gateway had obtained for this call.";
const REFUSED_CONFIGURED = "The API refused the credential that the gateway is configured with.";

/** Reasons that the API knows nothing of: whoever runs the gateway learns of them. */
const NO_ANSWER: readonly string[] = ["unreachable", "timeout", "broken_off"];

const LEVELS: Readonly<Record<Exclude<Invocation["outcome"], "success">, McpLogLevel>> = {
  cancelled: "notice",
  denied: "warning",
  tool_error: "warning",
  upstream_error: "error",
};
