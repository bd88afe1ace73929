import { invokeOperation } from "../bridge/invoke.ts";
import type { Invocation } from "../bridge/response/invocation.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import { tracedFetch } from "../telemetry/http-client.ts";
import { carriedBy } from "./credentials/carried.ts";
import { withoutToken } from "./credentials/echoed-secrets.ts";
import { schemesInUse } from "./credentials/upstream-auth.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { type OutboundCredential, renewCredential } from "./obtain-credential.ts";
import type { BridgedTool } from "./tool-index.ts";

/** Calls the API with the credential, and takes note of whether it answered. */
export async function invokeBridged(
  located: BridgedTool,
  credential: OutboundCredential,
  call: ToolCall,
  gateway: Gateway,
): Promise<Invocation> {
  const { tool, app } = located;
  const { reports } = call;
  const { method, path } = tool;
  reports.log("debug", app.name, { message: "calling the API", tool: tool.name, method, path });
  const made = await invokeWithRenewal(located, credential, call, gateway);
  const invocation = located.withoutSecrets?.(made) ?? made;
  gateway.upstreams.note(app.name, invocation);
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
  credential: OutboundCredential,
  call: ToolCall,
  gateway: Gateway,
): Promise<Invocation> {
  const first = await invokeOnce(located, credential, call, gateway);
  if (!isUnauthorized(first)) return first;
  if (credential.token === undefined) return carriesCredential(located) ? telling(REFUSED_CONFIGURED, first) : first;
  const renewed = await renewCredential(credential, located, call, gateway);
  const last = renewed === undefined ? first : await invokeOnce(located, renewed, call, gateway);
  return isUnauthorized(last) ? telling(REFUSED_TOKEN, last) : last;
}

async function invokeOnce(
  located: BridgedTool,
  credential: OutboundCredential,
  call: ToolCall,
  { dependencies, check }: Gateway,
): Promise<Invocation> {
  const { tool, open, app } = located;
  const { arguments: given, request, signal, reports, isWrapped = false } = call;
  const { baseURL, timeout, tls } = app;
  const connect = tls === undefined ? dependencies.fetch : dependencies.outbound(tls);
  const fetch = tracedFetch(connect, request.telemetry, tool.path);
  const carried = carriedBy(located, credential, call);
  const target = { ...carried, baseURL, timeout, fetch, check, signal, progress: reports.progress, lenient: isWrapped };
  const invocation = await invokeOperation(open(), given, target);
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
