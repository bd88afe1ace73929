import { invokeOperation } from "../bridge/invoke.ts";
import type { Invocation } from "../bridge/response.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import type { OutboundCredential } from "./obtain-credential.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Calls the upstream with the credential; an app of `unprotected` upstreams has none to send. */
export function invoke(
  { tool, app }: LocatedTool,
  _credential: OutboundCredential,
  call: ToolCall,
  { dependencies, check }: Gateway,
): Promise<Invocation> {
  const { baseURL, timeout } = app;
  return invokeOperation(tool, call.arguments, {
    baseURL,
    timeout,
    fetch: dependencies.fetch,
    check,
    signal: call.signal,
  });
}
