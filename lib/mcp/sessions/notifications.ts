import type { Gateway } from "../../gateway/gateway.ts";
import type { Caller } from "../caller.ts";
import { isRequestId, type RpcMessage } from "../message.ts";

/**
 * Takes note of what a client of a session lets us know; the cancellation of a request goes to whoever carries it out.
 * Notifications are never answered, so that one that says nothing is passed over.
 */
export async function takeNotifications(
  messages: readonly RpcMessage[],
  { session }: Pick<Caller, "session">,
  { dependencies }: Pick<Gateway, "dependencies">,
): Promise<void> {
  if (session === undefined) return;
  for (const message of messages) {
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") continue;
    const { requestId } = message.params;
    if (!isRequestId(requestId)) continue;
    await dependencies.sessionChannel?.publish(session.reference.sessionHash, { kind: "cancelled", requestId });
  }
}
