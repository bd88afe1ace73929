import { invokeOperation } from "../bridge/invoke.ts";
import type { Invocation } from "../bridge/response.ts";
import { tracedFetch } from "../telemetry/http-client.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import type { OutboundCredential } from "./obtain-credential.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Calls the upstream with the credential, and takes note of whether it answered. */
export async function invoke(
  { tool, app }: LocatedTool,
  { headers }: OutboundCredential,
  { arguments: given, request, signal }: ToolCall,
  { dependencies, check, upstreams }: Gateway,
): Promise<Invocation> {
  const { baseURL, timeout, tls } = app;
  const connect = tls === undefined ? dependencies.fetch : dependencies.outbound(tls);
  const fetch = tracedFetch(connect, request.telemetry, tool.request.path);
  const target = { baseURL, timeout, headers, fetch, check, signal };
  const invocation = await invokeOperation(tool, given, target);
  upstreams.note(app.name, invocation);
  return invocation;
}
