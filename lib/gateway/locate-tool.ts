import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import { locateProxied } from "./proxied/locate.ts";
import type { LocatedTool } from "./tool-index.ts";
import { isVisible } from "./visible-app.ts";

/** Throws `unknown_tool`, also for a tool that the agent may not see: it does not learn that there is one. */
export async function locateTool(call: ToolCall, gateway: Gateway): Promise<LocatedTool> {
  const located = gateway.tools.get(call.name) ?? (await locateProxied(call, gateway));
  if (located === undefined || !(await isVisible(located.app, call.identity, gateway))) throw unknownTool();
  return located;
}

/** The same for every tool that the agent must not know of. */
export function unknownTool(): GatewayError {
  return new GatewayError("unknown_tool", "There is no tool of this name.");
}
