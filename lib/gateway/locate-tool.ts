import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Throws `unknown_tool`. */
export function locateTool(call: ToolCall, gateway: Gateway): LocatedTool {
  const located = gateway.tools.get(call.name);
  if (located === undefined) throw new GatewayError("unknown_tool", "There is no tool of this name.");
  return located;
}
