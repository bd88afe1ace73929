import { type AuditEventPorts, auditEvent, named, nameIn } from "../audit/event.ts";
import { beginRecord as begin, NotRecordedError, type RecordPorts, recordRefused, written } from "../audit/record.ts";
import { argumentsDigest } from "../kernel/arguments-digest.ts";
import type { AuditEvent, AuditOutcome } from "../stores/audit-log.ts";
import type { DecidedApp } from "./decision/step.ts";
import { GatewayError } from "./gateway-error.ts";
import type { Principal } from "./identity.ts";
import type { OrganizationOf } from "./organization.ts";
import type { ToolCall } from "./tool-call.ts";
import type { CallableTool } from "./tool-index.ts";

/** What records are made of, and where they are written. */
export interface AuditPorts extends AuditEventPorts, RecordPorts {
  readonly organizationOf: OrganizationOf;
  /** The publication that the call began with; undefined: its configuration came with the instance. */
  readonly configRevision?: number | undefined;
}

/** What of a tool is recorded. */
export type AuditedTool = Pick<CallableTool, "app" | "argumentsOf" | "results"> & {
  readonly tool: { readonly name: string };
};

/**
 * Writes the intent of a call, durable when this resolves. Throws `not_recorded`: then the call must not be made.
 *
 * @param more details of the record
 */
export async function beginAudit(
  located: AuditedTool,
  call: ToolCall,
  ports: AuditPorts,
  more?: AuditEvent["details"],
): Promise<AuditEvent> {
  const described = await describeCall("unknown", located, call, ports);
  const details = more && { details: { ...described.details, ...more } };
  return beginRecord({ ...described, ...details }, call, ports);
}

/** The same for a record that is described already. */
export function beginRecord(event: AuditEvent, { request }: AuditedCall, ports: AuditPorts): Promise<AuditEvent> {
  return notMade(() => begin(event, request, ports));
}

/** Records a call that is not made, or counts it. Throws `not_recorded`. */
export function appendRefusal(event: AuditEvent, { request }: AuditedCall, ports: AuditPorts): Promise<void> {
  return notMade(() => recordRefused(withoutForeignLimit(event), request, ports));
}

/** What another organization calls its own limits (`org_…:name`) is not for the organization that reads the record. */
function withoutForeignLimit(event: AuditEvent): AuditEvent {
  const { limit } = event.details ?? {};
  if (typeof limit !== "string" || !limit.includes(":") || limit.startsWith(`${event.organizationId}:`)) return event;
  return { ...event, details: { ...event.details, limit: "of the caller's organization" } };
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
  const described = await describeCall(outcome, located, call, ports);
  const details = { ...described.details, ...more };
  const event = { ...described, reason, ...(Object.keys(details).length > 0 && { details }) };
  await appendRefusal(event, call, ports);
}

/** What of an app a call is for: the fields of its record that tell of it. */
export type AuditedSubject = Pick<AuditEvent, "type" | "tool" | "details" | "argumentsDigest"> & {
  readonly appConfiguration: Pick<DecidedApp, "name" | "organization">;
};

/** Who calls or asks, and by which request. */
export type AuditedCall = Pick<ToolCall, "request" | "sessionId"> & { readonly identity: Principal | undefined };

/** The record of a call. Throws `not_recorded`. */
export function describeCall(
  outcome: AuditOutcome,
  located: AuditedTool,
  call: ToolCall,
  ports: AuditPorts,
): Promise<AuditEvent> {
  const { app: appConfiguration, tool, results } = located;
  // That its result was withheld is added when the call is over.
  const details = results === undefined ? {} : { details: {} };
  const argued = { argumentsDigest: argumentsDigest(located.argumentsOf(call)) };
  return describeSubject(
    outcome,
    { type: "tool.invoked", appConfiguration, tool: tool.name.toWellFormed(), ...argued, ...details },
    call,
    ports,
  );
}

/** The record of a call, or of a request for a web app. Throws `not_recorded`. */
export async function describeSubject(
  outcome: AuditOutcome,
  { appConfiguration, details, ...subject }: AuditedSubject,
  call: AuditedCall,
  ports: AuditPorts,
): Promise<AuditEvent> {
  const { identity } = call;
  const organizationId = await notMade(() => written(call.request, () => ports.organizationOf(appConfiguration)));
  const actor = identity?.trialBy ?? identity?.agent?.clientID ?? identity?.user?.sub;
  return auditEvent(ports, {
    outcome,
    ...(organizationId !== undefined && { organizationId }),
    ...(actor !== undefined && { actor }),
    ...(identity?.agent !== undefined && { agent: identity.agent.clientID }),
    ...(identity?.user !== undefined && { user: identity.user.sub }),
    ...(identity !== undefined && identity.actChain.length > 0 && { actChain: identity.actChain }),
    ...namesOf(identity, organizationId),
    ...detailsOf(call, details),
    app: appConfiguration.name,
    requestId: call.request.requestId,
    ...(ports.configRevision !== undefined && { configRevision: ports.configRevision }),
    ...subject,
  });
}

/** What the token says of who calls. What another organization calls its own is not for the organization that reads the record. */
export function namesOf(
  identity: Principal | undefined,
  organizationId: string | undefined,
): Pick<AuditEvent, "names"> {
  if (identity === undefined || (identity.record !== undefined && identity.organizationId !== organizationId))
    return {};
  const { record, user } = identity;
  return named([record?.clientId, record?.clientName], [user?.sub, record?.subjectName ?? nameIn(user)]);
}

/** `traceId` when the call is a part of a trace that is recorded, or that its sender names. */
function detailsOf(
  { identity, request, sessionId }: AuditedCall,
  more: AuditEvent["details"],
): Pick<AuditEvent, "details"> {
  const span = request.telemetry?.span;
  const traceId = span?.isRecorded ? span.traceId : request.traceId;
  const details = {
    ...(sessionId !== undefined && { sessionId }),
    ...(identity !== undefined && vouchersOf(identity)),
    ...(traceId !== undefined && { traceId }),
    ...more,
  };
  return more === undefined && Object.keys(details).length === 0 ? {} : { details };
}

/** Client ids are an issuer's own names: without it they tell nobody apart. */
export function vouchersOf({ issuer, tokenId, trialBy }: Principal): Readonly<Record<string, string>> {
  return { issuer, ...(tokenId !== undefined && { tokenId }), ...(trialBy !== undefined && { trial: trialBy }) };
}

/** What cannot be recorded is told as every other refusal of a call is. */
export async function notMade<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (!(cause instanceof NotRecordedError)) throw cause;
    throw new GatewayError("not_recorded", "The call could not be recorded and was not made.", { cause: cause.cause });
  }
}
