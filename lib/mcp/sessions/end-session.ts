import { auditEvent } from "../../audit/event.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { upstreamsOf } from "../../gateway/proxied/end-upstreams.ts";
import type { Caller, LiveSession } from "../caller.ts";

/**
 * Ends a session for its client: streams of it end, calls that run are given up, and its sessions at upstreams end. False when it
 * was over already.
 */
export async function endSession(
  live: LiveSession,
  reason: "client_terminated" | "stream_closed",
  caller: Caller,
  gateway: Gateway,
): Promise<boolean> {
  const { record } = live;
  const { request } = caller;
  const { dependencies } = gateway;
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
  const endUpstreams = await upstreamsOf(live, caller, gateway);
  const isEnded = await stores.mcpSessions.end(sessionHash, now, event);
  if (isEnded) {
    telemetry?.record("mcp.server.session.duration", (now - startedAt) / 1_000, {
      "mcp.protocol.version": record.protocolVersion,
    });
    await sessionChannel?.publish(sessionHash, { kind: "ended" });
    request.waitUntil(endUpstreams());
  }
  return isEnded;
}
