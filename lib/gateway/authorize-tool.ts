import { recordDenial } from "./audit-call.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { hiddenTools } from "./hidden-tools.ts";
import { unknownTool } from "./locate-tool.ts";
import type { LocatedTool } from "./tool-index.ts";

/**
 * The agent's token carries every scope the tool needs, or the call is recorded as denied: throws `insufficient_scope`. Of a
 * tool that a policy hides the agent does not learn the scopes either: throws `unknown_tool`.
 */
export async function authorizeTool(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<void> {
  if (holdsScopes(located, call)) return;
  if (await isHidden(located, call, gateway)) {
    await recordDenial("policy", located, call, gateway);
    throw unknownTool();
  }
  throw await refuseForScopes(located, call, gateway);
}

/** The recorded refusal of a call whose token lacks scopes. */
export async function refuseForScopes(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<GatewayError> {
  await recordDenial("insufficient_scope", located, call, gateway);
  return new GatewayError("insufficient_scope", "The token lacks a scope that this tool needs.", {
    scopes: located.scopes,
  });
}

export function holdsScopes({ scopes }: LocatedTool, { identity }: ToolCall): boolean {
  const held = new Set(identity?.scopes);
  return scopes.every((scope) => held.has(scope));
}

export async function isHidden(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<boolean> {
  return (await hiddenTools([located], call, gateway)).size > 0;
}
