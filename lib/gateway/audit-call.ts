import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import type { RefusalPorts } from "../audit/refusals.ts";
import type { McpAppConfiguration } from "../config/app-configuration.ts";
import { argumentsDigest } from "../kernel/arguments-digest.ts";
import { causeOf } from "../logging/cause.ts";
import type { Invocation } from "../openapi/response/invocation.ts";
import type { AuditEvent, AuditLog, AuditOutcome } from "../stores/audit-log.ts";
import { GatewayError } from "./gateway-error.ts";
import type { Identity } from "./identity.ts";
import type { OrganizationOf } from "./organization.ts";
import type { ToolCall } from "./tool-call.ts";
import type { CallableTool } from "./tool-index.ts";

/** What records are made of, and where they are written. */
export interface AuditPorts extends AuditEventPorts, RefusalPorts {
  readonly stores: { readonly auditLog: Pick<AuditLog, "begin" | "complete"> };
  readonly organizationOf: OrganizationOf;
}

/** What of a tool is recorded. */
export type AuditedTool = Pick<CallableTool, "app" | "argumentsOf"> & { readonly tool: { readonly name: string } };

/** Writes the intent of a call, durable when this resolves. Throws `not_recorded`: then the call must not be made. */
export async function beginAudit(located: AuditedTool, call: ToolCall, ports: AuditPorts): Promise<AuditEvent> {
  return beginRecord(await describe("unknown", located, call, ports), call, ports);
}

/** The same for a record that is described already. */
export async function beginRecord(event: AuditEvent, call: AuditedCall, ports: AuditPorts): Promise<AuditEvent> {
  await written(call, () => ports.stores.auditLog.begin(event));
  return event;
}

/** Records a call that is not made, or counts it. Throws `not_recorded`. */
export function appendRefusal(event: AuditEvent, call: AuditedCall, ports: AuditPorts): Promise<void> {
  logCall(event, call);
  return written(call, () => ports.refusals.record(event));
}

/**
 * Makes the call and completes its record. The runtime is told to wait for the completion before the call is made, so
 * that an agent that leaves does not leave the record open (D27).
 */
export async function completeAudit<Made extends Pick<Invocation, "outcome" | "reason">>(
  event: AuditEvent,
  call: AuditedCall,
  ports: AuditPorts,
  invoke: () => Promise<Made>,
): Promise<Made> {
  const { promise, resolve } = Promise.withResolvers<void>();
  call.request.waitUntil(promise);
  try {
    const invocation = await invoke();
    await complete(event, call, ports, invocation.outcome, invocation.reason);
    return invocation;
  } catch (cause) {
    await complete(event, call, ports, "upstream_error", "internal");
    throw cause;
  } finally {
    resolve();
  }
}

/**
 * Throws `not_recorded`.
 *
 * @param more details of the record
 */
export async function recordDenial(
  reason: string,
  located: AuditedTool,
  call: ToolCall,
  ports: AuditPorts,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  return recordRefusal("denied", reason, located, call, ports, more);
}

/** Records a call that is not made, or counts it. Throws `not_recorded`. */
export async function recordRefusal(
  outcome: Extract<AuditOutcome, "denied" | "upstream_error">,
  reason: string,
  located: AuditedTool,
  call: ToolCall,
  ports: AuditPorts,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const described = await describe(outcome, located, call, ports);
  const details = { ...described.details, ...more };
  const event = { ...described, reason, ...(Object.keys(details).length > 0 && { details }) };
  await appendRefusal(event, call, ports);
}

/** What of an app a call is for: the fields of its record that tell of it. */
export type AuditedSubject = Pick<AuditEvent, "type" | "tool" | "details" | "argumentsDigest"> & {
  readonly appConfiguration: McpAppConfiguration;
};

/** Who calls, and by which request. */
export type AuditedCall = Pick<ToolCall, "identity" | "request" | "sessionId">;

function describe(outcome: AuditOutcome, located: AuditedTool, call: ToolCall, ports: AuditPorts): Promise<AuditEvent> {
  const { app: appConfiguration, tool } = located;
  const argued = { argumentsDigest: argumentsDigest(located.argumentsOf(call)) };
  return describeSubject(
    outcome,
    { type: "tool.invoked", appConfiguration, tool: tool.name.toWellFormed(), ...argued },
    call,
    ports,
  );
}

/** The record of a call. Throws `not_recorded`. */
export async function describeSubject(
  outcome: AuditOutcome,
  { appConfiguration, details, ...subject }: AuditedSubject,
  call: AuditedCall,
  ports: AuditPorts,
): Promise<AuditEvent> {
  const { identity } = call;
  const organizationId = await written(call, () => ports.organizationOf(appConfiguration));
  return auditEvent(ports, {
    outcome,
    ...(organizationId !== undefined && { organizationId }),
    ...(identity !== undefined && { actor: identity.agent.clientID, agent: identity.agent.clientID }),
    ...(identity?.user !== undefined && { user: identity.user.sub }),
    ...(identity !== undefined && identity.actChain.length > 0 && { actChain: identity.actChain }),
    ...detailsOf(call, details),
    app: appConfiguration.name,
    requestId: call.request.requestId,
    ...subject,
  });
}

/** `traceId` when the call is a part of a recorded trace. */
function detailsOf(
  { identity, request, sessionId }: AuditedCall,
  more: AuditEvent["details"],
): Pick<AuditEvent, "details"> {
  const span = request.telemetry?.span;
  const details = {
    ...(sessionId !== undefined && { sessionId }),
    ...(identity !== undefined && vouchersOf(identity)),
    ...(span?.isRecorded && { traceId: span.traceId }),
    ...more,
  };
  return Object.keys(details).length === 0 ? {} : { details };
}

/** Client ids are an issuer's own names: without it they tell nobody apart. */
export function vouchersOf({ issuer, tokenId }: Identity): Readonly<Record<string, string>> {
  return { issuer, ...(tokenId !== undefined && { tokenId }) };
}

async function written<T>({ request }: AuditedCall, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    request.logger.error("audit record not written", { cause: causeOf(cause) });
    throw new GatewayError("not_recorded", "The call could not be recorded and was not made.", { cause });
  }
}

/** Who called what, for whoever looks for one call among many requests. The record has more. */
function logCall(event: AuditEvent, { request }: Pick<AuditedCall, "request">): void {
  const { type, outcome, reason, tool, app, agent, user, durationMs } = event;
  request.logger.debug("call", { type, outcome, reason, tool, app, agent, user, durationMs });
}

/** The call is over either way: what cannot be written now leaves a record that reads `unknown`. */
async function complete(
  event: AuditEvent,
  { request }: AuditedCall,
  { stores, clock }: AuditPorts,
  outcome: AuditOutcome,
  reason: string | undefined,
): Promise<void> {
  const durationMs = clock.now() - event.time;
  const completion = { outcome, durationMs, ...(reason !== undefined && { reason }) };
  logCall({ ...event, ...completion }, { request });
  try {
    await stores.auditLog.complete(event, completion);
  } catch (cause) {
    request.logger.error("audit record not completed", { eventId: event.id, outcome, cause: causeOf(cause) });
  }
}
