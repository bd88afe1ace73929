import { auditEvent } from "../audit/event.ts";
import type { Invocation } from "../bridge/response/invocation.ts";
import { causeOf } from "../logging/cause.ts";
import type { AuditEvent, AuditOutcome } from "../stores/audit-log.ts";
import { argumentsDigest } from "./arguments-digest.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import type { Identity } from "./identity.ts";
import { givenArguments } from "./proxied/upstream-call.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Writes the intent of a call, durable when this resolves. Throws `not_recorded`: then the call must not be made. */
export async function beginAudit(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<AuditEvent> {
  return beginRecord(await describe("unknown", located, call, gateway), call, gateway);
}

/** The same for a record that is described already. */
export async function beginRecord(event: AuditEvent, call: AuditedCall, gateway: Gateway): Promise<AuditEvent> {
  await written(call, () => gateway.dependencies.stores.auditLog.begin(event));
  return event;
}

/** Writes a whole record. Throws `not_recorded`. */
export function appendRecord(event: AuditEvent, call: AuditedCall, gateway: Gateway): Promise<void> {
  return written(call, () => gateway.dependencies.stores.auditLog.append(event));
}

/**
 * Makes the call and completes its record. The runtime is told to wait for the completion before the call is made, so
 * that an agent that leaves does not leave the record open (D27).
 */
export async function completeAudit<Made extends Pick<Invocation, "outcome" | "reason">>(
  event: AuditEvent,
  call: AuditedCall,
  { dependencies }: Gateway,
  invoke: () => Promise<Made>,
): Promise<Made> {
  const { promise, resolve } = Promise.withResolvers<void>();
  call.request.waitUntil(promise);
  try {
    const invocation = await invoke();
    await complete(event, call, dependencies, invocation.outcome, invocation.reason);
    return invocation;
  } catch (cause) {
    await complete(event, call, dependencies, "upstream_error", "internal");
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
  located: LocatedTool,
  call: ToolCall,
  gateway: Gateway,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  return recordRefusal("denied", reason, located, call, gateway, more);
}

/** The whole record of a call that is not made. Throws `not_recorded`. */
export async function recordRefusal(
  outcome: Extract<AuditOutcome, "denied" | "upstream_error">,
  reason: string,
  located: LocatedTool,
  call: ToolCall,
  gateway: Gateway,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const described = await describe(outcome, located, call, gateway);
  const details = { ...described.details, ...more };
  const event = { ...described, reason, ...(Object.keys(details).length > 0 && { details }) };
  await appendRecord(event, call, gateway);
}

/** What of an app a call is for: the fields of its record that tell of it. */
export type AuditedSubject = Pick<AuditEvent, "type" | "tool" | "details" | "argumentsDigest"> & {
  readonly appConfiguration: LocatedTool["app"];
};

/** Who calls, and by which request. */
export type AuditedCall = Pick<ToolCall, "identity" | "request" | "sessionId">;

function describe(outcome: AuditOutcome, located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<AuditEvent> {
  const { app: appConfiguration, tool } = located;
  const given = located.kind === "proxy" ? givenArguments(call) : call.arguments;
  const argued = { argumentsDigest: argumentsDigest(given) };
  return describeSubject(
    outcome,
    { type: "tool.invoked", appConfiguration, tool: tool.name.toWellFormed(), ...argued },
    call,
    gateway,
  );
}

/** The record of a call. Throws `not_recorded`. */
export async function describeSubject(
  outcome: AuditOutcome,
  { appConfiguration, details, ...subject }: AuditedSubject,
  call: AuditedCall,
  gateway: Gateway,
): Promise<AuditEvent> {
  const { identity } = call;
  const organizationId = await written(call, () => gateway.organizationOf(appConfiguration));
  return auditEvent(gateway.dependencies, {
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

/** The call is over either way: what cannot be written now leaves a record that reads `unknown`. */
async function complete(
  event: AuditEvent,
  { request }: AuditedCall,
  { stores, clock }: Gateway["dependencies"],
  outcome: AuditOutcome,
  reason: string | undefined,
): Promise<void> {
  const durationMs = clock.now() - event.time;
  const completion = { outcome, durationMs, ...(reason !== undefined && { reason }) };
  try {
    await stores.auditLog.complete(event, completion);
  } catch (cause) {
    request.logger.error("audit record not completed", { eventId: event.id, outcome, cause: causeOf(cause) });
  }
}
