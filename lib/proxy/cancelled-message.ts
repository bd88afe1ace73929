import { saidOnGivingUp } from "../given-up.ts";
import type { JsonObject } from "../json.ts";
import type { RequestId } from "../mcp/message.ts";

/**
 * Tells an upstream that nobody waits for its answer any more (MCP, Cancellation), with what the agent said of it.
 *
 * @param signal aborts when the agent gives up
 */
export function cancelledMessage(requestId: RequestId, signal: AbortSignal): JsonObject {
  const reason = saidOnGivingUp(signal);
  return { method: "notifications/cancelled", params: { requestId, ...(reason !== undefined && { reason }) } };
}
