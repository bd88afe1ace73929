import { invokeOperation } from "../bridge/invoke.ts";
import type { Invocation } from "../bridge/response.ts";
import type { McpLogLevel } from "../stores/mcp-sessions.ts";
import { tracedFetch } from "../telemetry/http-client.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import type { OutboundCredential } from "./obtain-credential.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Calls the upstream with the credential, and takes note of whether it answered. */
export async function invoke(
  { tool, app }: LocatedTool,
  { headers }: OutboundCredential,
  { arguments: given, request, signal, reports }: ToolCall,
  { dependencies, check, upstreams }: Gateway,
): Promise<Invocation> {
  const { baseURL, timeout, tls } = app;
  const connect = tls === undefined ? dependencies.fetch : dependencies.outbound(tls);
  const fetch = tracedFetch(connect, request.telemetry, tool.request.path);
  const { method, path } = tool.request;
  reports.log("debug", app.name, { message: "calling the API", tool: tool.name, method, path });
  const target = { baseURL, timeout, headers, fetch, check, signal, progress: reports.progress };
  const invocation = await invokeOperation(tool, given, target);
  upstreams.note(app.name, invocation);
  const { outcome, reason = "" } = invocation;
  if (outcome === "success") reports.log("info", app.name, { message: "the API answered", tool: tool.name });
  else reports.log(LEVELS[outcome], app.name, { message: "the call failed", tool: tool.name, outcome, reason });
  return invocation;
}

const LEVELS: Readonly<Record<Exclude<Invocation["outcome"], "success">, McpLogLevel>> = {
  cancelled: "notice",
  tool_error: "warning",
  upstream_error: "error",
};
