import { recordDenial } from "./audit-call.ts";
import { isHidden } from "./authorize-tool.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { unknownTool } from "./locate-tool.ts";
import { missingAuthentication } from "./step-up.ts";
import type { LocatedTool } from "./tool-index.ts";

/**
 * The person signed in as the tool takes it, or the call is recorded as denied: throws `insufficient_authentication`
 * (RFC 9470 §3), and `unknown_tool` of a tool that a policy hides.
 */
export async function requireAuthentication(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<void> {
  const { stepUp } = located;
  if (stepUp === undefined) return;
  const missing = missingAuthentication(stepUp, call.identity?.claims, gateway.dependencies.clock.now());
  if (missing === undefined) return;
  if (await isHidden(located, call, gateway)) {
    await recordDenial("policy", located, call, gateway);
    throw unknownTool();
  }
  await recordDenial("insufficient_authentication", located, call, gateway, { missing });
  const scopes = scopesAfterwards(located, call, gateway);
  throw new GatewayError("insufficient_authentication", MESSAGES[missing], { scopes, stepUp });
}

const MESSAGES = {
  acr: "This tool needs a sign-in of another kind.",
  too_old: "This tool needs a more recent sign-in.",
} as const;

/** The new token is to be good for what the former one was, too. */
function scopesAfterwards({ scopes }: LocatedTool, { identity }: ToolCall, gateway: Gateway): readonly string[] {
  const wanted = new Set([...(identity?.scopes ?? []), ...scopes]);
  return gateway.scopes.filter((scope) => wanted.has(scope));
}
