import { invokeOperation } from "../bridge/invoke.ts";
import type { Invocation } from "../bridge/response.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import { tracedFetch } from "../telemetry/http-client.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { type OutboundCredential, renewCredential } from "./obtain-credential.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Calls the upstream with the credential, and takes note of whether it answered. */
export async function invoke(
  located: LocatedTool,
  credential: OutboundCredential,
  call: ToolCall,
  gateway: Gateway,
): Promise<Invocation> {
  const { tool, app } = located;
  const { reports } = call;
  const { method, path } = tool;
  reports.log("debug", app.name, { message: "calling the API", tool: tool.name, method, path });
  const invocation = await invokeWithRenewal(located, credential, call, gateway);
  gateway.upstreams.note(app.name, invocation);
  const { outcome, reason = "" } = invocation;
  if (outcome === "success") reports.log("info", app.name, { message: "the API answered", tool: tool.name });
  else reports.log(LEVELS[outcome], app.name, { message: "the call failed", tool: tool.name, outcome, reason });
  return invocation;
}

/** Whoever answers 401 has done nothing yet: with another token the call may be made once more (checklist 29). */
async function invokeWithRenewal(
  located: LocatedTool,
  credential: OutboundCredential,
  call: ToolCall,
  gateway: Gateway,
): Promise<Invocation> {
  const first = await invokeOnce(located, credential, call, gateway);
  if (credential.token === undefined || !isUnauthorized(first)) return first;
  const renewed = await renewCredential(credential, located, call, gateway);
  const last = renewed === undefined ? first : await invokeOnce(located, renewed, call, gateway);
  return isUnauthorized(last) ? tellingWhose(last) : last;
}

function invokeOnce(
  { tool, open, app }: LocatedTool,
  { headers }: OutboundCredential,
  { arguments: given, request, signal, reports }: ToolCall,
  { dependencies, check }: Gateway,
): Promise<Invocation> {
  const { baseURL, timeout, tls } = app;
  const connect = tls === undefined ? dependencies.fetch : dependencies.outbound(tls);
  const fetch = tracedFetch(connect, request.telemetry, tool.path);
  const target = { baseURL, timeout, headers, fetch, check, signal, progress: reports.progress };
  return invokeOperation(open(), given, target);
}

function isUnauthorized({ reason }: Invocation): boolean {
  return reason === "http_401";
}

/** The agent must not take its own token for the one that was refused. */
function tellingWhose(invocation: Invocation): Invocation {
  const { result } = invocation;
  const note = {
    type: "text",
    text: "The API refused the token that the gateway had obtained for this call.",
  } as const;
  return { ...invocation, result: { ...result, content: [...result.content, note] } };
}

const LEVELS: Readonly<Record<Exclude<Invocation["outcome"], "success">, McpLogLevel>> = {
  cancelled: "notice",
  tool_error: "warning",
  upstream_error: "error",
};
