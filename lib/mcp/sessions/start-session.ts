import { auditEvent } from "../../audit/event.ts";
import { vouchersOf } from "../../gateway/audit-call.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { JsonObject } from "../../json.ts";
import type { McpSessionRecord } from "../../stores/mcp-sessions.ts";
import type { Caller } from "../caller.ts";
import { principalOf } from "./principal.ts";
import { createSessionId, sessionHash } from "./session-id.ts";

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
  { dependencies, organizationOf }: Gateway,
): Promise<StartedSession> {
  const { clock, random, stores } = dependencies;
  const id = createSessionId(random);
  const now = clock.now();
  const organizationId = identity?.organizationId ?? (await organizationOf({}));
  const { oidcProvider } = dependencies.configuration().configuration;
  const record: McpSessionRecord = {
    sessionHash: sessionHash(id),
    ...start,
    principal: principalOf(identity),
    ...(organizationId !== undefined && { organizationId }),
    ...(identity !== undefined && { issuer: identity.issuer, agent: identity.agent.clientID }),
    ...(identity?.user !== undefined && { user: identity.user.sub }),
    ...(oidcProvider !== undefined && { region: oidcProvider.region }),
    startedAt: now,
    lastSeenAt: now,
  };
  const event = auditEvent(dependencies, {
    type: "session.started",
    outcome: "success",
    ...(organizationId !== undefined && { organizationId }),
    ...(record.agent !== undefined && { actor: record.agent, agent: record.agent }),
    ...(record.user !== undefined && { user: record.user }),
    requestId: request.requestId,
    details: {
      sessionId: record.sessionHash,
      transport: start.transport,
      protocolVersion: start.protocolVersion,
      ...(identity !== undefined && vouchersOf(identity)),
    },
  });
  await stores.mcpSessions.create(record, event);
  return { id, record };
}
