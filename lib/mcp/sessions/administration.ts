import { type AuditEventPorts, auditEvent, byAdministrator } from "../../audit/event.ts";
import { ProblemError } from "../../kernel/problem.ts";
import { isSessionId } from "../../protocol/mcp/session-id.ts";
import type { McpSessionRecord, McpSessions } from "../../stores/mcp-sessions.ts";
import type { Page, PageRequest } from "../../stores/paging.ts";
import type { SessionChannel } from "../../stores/session-channel.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";

export interface SessionAdministrationPorts extends AuditEventPorts {
  readonly stores: { readonly mcpSessions: Pick<McpSessions, "get" | "list" | "end"> };
  readonly sessionChannel?: SessionChannel | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** Whoever may administer an organization's sessions: a person, or an API client. */
export interface SessionAdministrator {
  /** `user_…` or `client_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly requestId: string;
}

/** Live sessions of an organization, newest first. */
export function listSessions(
  { stores, clock }: Pick<SessionAdministrationPorts, "stores" | "clock">,
  organizationId: string,
  page: PageRequest,
): Promise<Page<McpSessionRecord>> {
  return stores.mcpSessions.list(organizationId, clock.now(), page);
}

/**
 * Ends a session of the administrator's organization: its next request is refused, its streams end, and calls that run
 * are given up.
 * @param sessionHash what the management API names it by
 * @throws ProblemError `not_found` for one that is unknown, over, or of another organization
 */
export async function terminateSession(
  ports: SessionAdministrationPorts,
  administrator: SessionAdministrator,
  sessionHash: string,
): Promise<void> {
  const { stores, clock, sessionChannel, telemetry } = ports;
  const now = clock.now();
  // A hash has the form of an id; what has not is in no store.
  const session = isSessionId(sessionHash) ? await stores.mcpSessions.get(sessionHash, now) : undefined;
  if (session?.organizationId !== administrator.organizationId) throw unknownSession();
  const event = terminated(ports, administrator, session, now);
  if (!(await stores.mcpSessions.end(sessionHash, now, event))) throw unknownSession();
  telemetry?.record("mcp.server.session.duration", (now - session.startedAt) / 1_000, {
    "mcp.protocol.version": session.protocolVersion,
  });
  await sessionChannel?.publish(sessionHash, { kind: "ended" });
}

function terminated(
  ports: SessionAdministrationPorts,
  administrator: SessionAdministrator,
  { sessionHash, issuer, agent, user, startedAt }: McpSessionRecord,
  now: number,
) {
  return auditEvent(ports, {
    type: "session.terminated",
    outcome: "success",
    reason: "administrator_terminated",
    organizationId: administrator.organizationId,
    ...byAdministrator(administrator),
    ...(agent !== undefined && { agent }),
    ...(user !== undefined && { user }),
    durationMs: now - startedAt,
    details: { sessionId: sessionHash, ...(issuer !== undefined && { issuer }) },
  });
}

/** One answer for everything that is not there, or not of this organization. */
function unknownSession(): ProblemError {
  return new ProblemError("not_found", "There is no such session in this organization.");
}
