import { auditEvent } from "../../audit/event.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Caller, LiveSession } from "../caller.ts";

/** Ends a session for its client: streams of it end, and calls that run are given up. False when it was over already. */
export async function endSession(
  { record }: LiveSession,
  reason: "client_terminated" | "stream_closed",
  { request }: Pick<Caller, "request">,
  { dependencies }: Pick<Gateway, "dependencies">,
): Promise<boolean> {
  const { sessionHash, organizationId, issuer, agent, user, startedAt } = record;
  const { stores, clock, sessionChannel, telemetry } = dependencies;
  const now = clock.now();
  const event = auditEvent(dependencies, {
    type: "session.terminated",
    outcome: "success",
    reason,
    ...(organizationId !== undefined && { organizationId }),
    ...(agent !== undefined && { actor: agent, agent }),
    ...(user !== undefined && { user }),
    durationMs: now - startedAt,
    requestId: request.requestId,
    details: { sessionId: sessionHash, ...(issuer !== undefined && { issuer }) },
  });
  const isEnded = await stores.mcpSessions.end(sessionHash, now, event);
  if (isEnded) {
    telemetry?.record("mcp.server.session.duration", (now - startedAt) / 1_000, {
      "mcp.protocol.version": record.protocolVersion,
    });
    await sessionChannel?.publish(sessionHash, { kind: "ended" });
  }
  return isEnded;
}
