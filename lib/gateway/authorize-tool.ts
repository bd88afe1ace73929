import { recordDenial } from "./audit-call.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import type { LocatedTool } from "./tool-index.ts";

/** The agent's token carries every scope the tool needs, or the call is recorded as denied: throws `insufficient_scope`. */
export async function authorizeTool(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<void> {
  const held = new Set(call.identity?.scopes);
  if (located.scopes.every((scope) => held.has(scope))) return;
  await recordDenial("insufficient_scope", located, call, gateway);
  throw new GatewayError("insufficient_scope", "The token lacks a scope that this tool needs.", {
    scopes: located.scopes,
  });
}
