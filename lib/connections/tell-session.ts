import { notificationMessage } from "../protocol/mcp/json-rpc.ts";
import type { SessionChannel } from "../stores/session-channel.ts";
import type { AskingSession } from "./person-connections.ts";

/**
 * Tells the session that asked that its person has connected (MCP 2025-11-25, Elicitation, Completion Notifications), and that there are
 * other tools now. It reaches the session's stream, whoever holds it; where nobody does, it is lost. Never rejects.
 *
 * @param id of the connect request, which the agent knows as `elicitationId`
 */
export async function tellSession(
  id: string,
  { sessionHash, isElicited }: AskingSession,
  { sessionChannel }: { readonly sessionChannel?: SessionChannel | undefined },
): Promise<void> {
  const told = [
    ...(isElicited ? [notificationMessage("notifications/elicitation/complete", { elicitationId: id })] : []),
    notificationMessage("notifications/tools/list_changed"),
  ];
  for (const message of told) await sessionChannel?.publish(sessionHash, { kind: "message", message });
}
