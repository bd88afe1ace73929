import { invokeOperation } from "../bridge/invoke.ts";
import type { Invocation } from "../bridge/response.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import type { OutboundCredential } from "./obtain-credential.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Calls the upstream with the credential. */
export function invoke(
  { tool, app }: LocatedTool,
  { headers }: OutboundCredential,
  { arguments: given, signal }: ToolCall,
  { dependencies, check }: Gateway,
): Promise<Invocation> {
  const { baseURL, timeout } = app;
  return invokeOperation(tool, given, { baseURL, timeout, headers, fetch: dependencies.fetch, check, signal });
}
