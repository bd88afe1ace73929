import { type AuditEventPorts, auditEvent } from "../../audit/event.ts";
import { namesOf, vouchersOf } from "../../gateway/audit-call.ts";
import { principalOf } from "../../gateway/identity.ts";
import type { OrganizationOf } from "../../gateway/organization.ts";
import { type SessionPorts, upstreamsOf } from "../../gateway/proxied/session-upstreams.ts";
import { sessionOrigin, stopOfCaller, stopOfIdentity } from "../../gateway/stopped.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import { jsonRpcError, REFUSED, SESSION_NOT_FOUND } from "../../protocol/mcp/json-rpc.ts";
import { createSessionId, isSessionId, sessionHash } from "../../protocol/mcp/session-id.ts";
import type { InstanceStops } from "../../stops/instance-stops.ts";
import type { AuditEvent } from "../../stores/audit-log.ts";
import type { McpSessionRecord, McpSessions } from "../../stores/mcp-sessions.ts";
import type { SessionChannel } from "../../stores/session-channel.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { type AgentPorts, agentCaller } from "../agent-side.ts";
import type { Caller, LiveSession } from "../caller.ts";

export interface StartPorts extends AuditEventPorts {
  readonly stores: { readonly mcpSessions: Pick<McpSessions, "create"> };
  readonly organizationOf: OrganizationOf;
}

/** What the client says of itself, and what was agreed on. */
export interface SessionStart {
  readonly transport: McpSessionRecord["transport"];
  readonly protocolVersion: string;
  readonly clientInfo: McpSessionRecord["clientInfo"];
  readonly clientCapabilities: JsonObject;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A session whose id is known, once. */
export interface StartedSession {
  /** For the client alone. */
  readonly id: string;
  readonly record: McpSessionRecord;
}

/** Begins a session of the caller; it is durable, with its audit record, when this resolves. */
export async function startSession(
  start: SessionStart,
  { identity, request }: Pick<Caller, "identity" | "request">,
  ports: StartPorts,
): Promise<StartedSession> {
  const { clock, random, stores, organizationOf } = ports;
  const id = createSessionId(random);
  const now = clock.now();
  const organizationId = identity?.organizationId ?? (await organizationOf({}));
  const { oidcProvider } = ports.configuration().configuration;
  const record: McpSessionRecord = {
    sessionHash: sessionHash(id),
    ...start,
    principal: principalOf(identity),
    ...(organizationId !== undefined && { organizationId }),
    ...(identity !== undefined && { issuer: identity.issuer, agent: identity.agent.clientID }),
    ...(identity?.user !== undefined && { user: identity.user.sub }),
    ...(identity !== undefined && sessionOrigin(identity)),
    ...(oidcProvider !== undefined && { region: oidcProvider.region }),
    startedAt: now,
    lastSeenAt: now,
  };
  const event = auditEvent(ports, {
    type: "session.started",
    outcome: "success",
    ...(organizationId !== undefined && { organizationId }),
    ...(record.agent !== undefined && { actor: record.agent, agent: record.agent }),
    ...(record.user !== undefined && { user: record.user }),
    requestId: request.requestId,
    ...namesOf(identity, organizationId),
    details: {
      sessionId: record.sessionHash,
      transport: start.transport,
      protocolVersion: start.protocolVersion,
      ...(identity !== undefined && vouchersOf(identity)),
    },
  });
  await stores.mcpSessions.create(record, event);
  request.telemetry?.inSession(record.sessionHash);
  return { id, record };
}

export interface UseSessionPorts extends AuditEventPorts {
  readonly stores: { readonly mcpSessions: Pick<McpSessions, "use" | "end"> };
  readonly instanceStops: Pick<InstanceStops, "current">;
  readonly ownIssuer: string | undefined;
}

/** A session as a request names it. */
interface PresentedSession {
  readonly id: string | undefined;
  /** How the id is carried, for the one who left it out. */
  readonly where: string;
  /** Which the request came by. A session is of one: the other has its own streams, and its own ways to end it. */
  readonly transport: McpSessionRecord["transport"];
}

/**
 * The session with an id, if the caller is in it, and that it was used just now; else the answer that refuses the request.
 * Unknown, expired, ended and foreign ones, and those of the other transport, are the same (MCP, Session Management: a
 * client that gets 404 begins anew).
 */
export async function useSession(
  { id, where, transport }: PresentedSession,
  { identity, request }: Pick<Caller, "identity" | "request">,
  ports: UseSessionPorts,
): Promise<LiveSession | Response> {
  const { stores, clock, instanceStops, ownIssuer } = ports;
  if (id === undefined || id === "") return jsonRpcError(400, REFUSED, `${where} is required.`);
  if (!isSessionId(id)) return notFound();
  const reference = { sessionHash: sessionHash(id), principal: principalOf(identity) };
  const record = await stores.mcpSessions.use(reference, clock.now());
  if (record?.transport !== transport) return notFound();
  const stops = await instanceStops.current(request.waitUntil);
  if (stopOfCaller(stops, { identity, session: { record } }, ownIssuer) === undefined) {
    request.telemetry?.inSession(record.sessionHash);
    return { reference, record };
  }
  // What is over with the token alone may go on with another.
  if (stopOfIdentity(stops, identity, ownIssuer) !== undefined) return notFound();
  const now = ports.clock.now();
  const event = sessionEnd(record, "stopped", now, request.requestId, ports);
  // The caller may go, and comes back in vain.
  const failed = (cause: unknown) => request.logger.warn("a stopped session is not ended", { cause: causeOf(cause) });
  request.waitUntil(stores.mcpSessions.end(record.sessionHash, now, event).then(() => undefined, failed));
  return notFound();
}

function sessionEnd(
  { sessionHash, organizationId, issuer, agent, user, startedAt }: McpSessionRecord,
  reason: "client_terminated" | "stream_closed" | "stopped",
  now: number,
  requestId: string,
  ports: AuditEventPorts,
): AuditEvent {
  return auditEvent(ports, {
    type: "session.terminated",
    outcome: "success",
    reason,
    ...(organizationId !== undefined && { organizationId }),
    ...(agent !== undefined && { actor: agent, agent }),
    ...(user !== undefined && { user }),
    durationMs: now - startedAt,
    requestId,
    details: { sessionId: sessionHash, ...(issuer !== undefined && { issuer }) },
  });
}

function notFound(): Response {
  // Some clients know by these words that they have to begin anew.
  return jsonRpcError(404, SESSION_NOT_FOUND, "Session not found");
}

export type EndingPorts = SessionPorts &
  AgentPorts &
  AuditEventPorts & {
    readonly stores: { readonly mcpSessions: Pick<McpSessions, "end"> };
    readonly sessionChannel?: SessionChannel | undefined;
    readonly telemetry?: Telemetry | undefined;
  };

/**
 * Ends a session for its client: streams of it end, calls that run are given up, and its sessions at upstreams end. False when it
 * was over already.
 */
export async function endSession(
  live: LiveSession,
  reason: "client_terminated" | "stream_closed",
  caller: Caller,
  ports: EndingPorts,
): Promise<boolean> {
  const { record } = live;
  const { request } = caller;
  const { sessionHash, startedAt } = record;
  const { stores, clock, sessionChannel, telemetry } = ports;
  const now = clock.now();
  const event = sessionEnd(record, reason, now, request.requestId, ports);
  const endUpstreams = await upstreamsOf(live, agentCaller(caller, ports), ports);
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
