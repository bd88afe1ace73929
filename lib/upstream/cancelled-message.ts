import { saidOnGivingUp } from "../kernel/cancellation.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { RequestId } from "../protocol/mcp/message.ts";

/**
 * Tells an upstream that nobody waits for its answer any more (MCP, Cancellation), with what the agent said of it.
 *
 * @param signal aborts when the agent gives up
 */
export function cancelledMessage(requestId: RequestId, signal: AbortSignal): JsonObject {
  const reason = saidOnGivingUp(signal);
  return { method: "notifications/cancelled", params: { requestId, ...(reason !== undefined && { reason }) } };
}
