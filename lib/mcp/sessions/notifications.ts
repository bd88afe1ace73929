import { type IncomingPorts, takeAnswer, takeNotification } from "../../gateway/proxied/incoming.ts";
import { isRequestId, type RpcMessage } from "../../protocol/mcp/message.ts";
import { type AgentPorts, agentCaller } from "../agent-side.ts";
import type { Caller } from "../caller.ts";

export type NotificationPorts = IncomingPorts & AgentPorts;

/**
 * Takes note of what a client of a session lets us know: the cancellation of a request goes to whoever carries it out, what
 * else is for upstreams to them, and answers to whoever asked. None of it is answered, so that what says nothing is passed over.
 */
export async function takeNotifications(
  messages: readonly RpcMessage[],
  { session, ...from }: Caller,
  ports: NotificationPorts,
): Promise<void> {
  if (session === undefined) return;
  const caller = { ...agentCaller(from, ports), session };
  for (const message of messages) {
    if (message.kind === "response") await takeAnswer(message, caller, ports);
    if (message.kind !== "notification" || OWN.has(message.method)) continue;
    if (message.method !== CANCELLED) {
      await takeNotification(message, caller, ports);
      continue;
    }
    const { requestId, reason } = message.params;
    if (!isRequestId(requestId)) continue;
    const { sessionChannel } = ports;
    await sessionChannel?.publish(session.reference.sessionHash, {
      kind: "cancelled",
      requestId,
      ...(typeof reason === "string" && { reason: reason.slice(0, LONGEST_REASON).toWellFormed() }),
    });
  }
}

/** Characters of what is said of a cancellation. */
const LONGEST_REASON = 500;
const CANCELLED = "notifications/cancelled";
/** Of the agent's session with us alone. */
const OWN: ReadonlySet<string> = new Set(["notifications/initialized"]);
