import { auditEvent } from "../audit/event.ts";
import type { Invocation } from "../bridge/response/invocation.ts";
import { causeOf } from "../logging/cause.ts";
import type { AuditEvent, AuditOutcome } from "../stores/audit-log.ts";
import { argumentsDigest } from "./arguments-digest.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { GatewayError } from "./gateway-error.ts";
import type { Identity } from "./identity.ts";
import type { LocatedTool } from "./tool-index.ts";

/** Writes the intent of a call, durable when this resolves. Throws `not_recorded`: then the call must not be made. */
export async function beginAudit(located: LocatedTool, call: ToolCall, gateway: Gateway): Promise<AuditEvent> {
  const event = await describe("unknown", located, call, gateway);
  await written(call, () => gateway.dependencies.stores.auditLog.begin(event));
  return event;
}

/**
 * Makes the call and completes its record. The runtime is told to wait for the completion before the call is made, so
 * that an agent that leaves does not leave the record open (D27).
 */
export async function completeAudit<Made extends Pick<Invocation, "outcome" | "reason">>(
  event: AuditEvent,
  call: ToolCall,
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
  await written(call, () => gateway.dependencies.stores.auditLog.append(event));
}

async function describe(
  outcome: AuditOutcome,
  located: LocatedTool,
  call: ToolCall,
  gateway: Gateway,
): Promise<AuditEvent> {
  const { identity } = call;
  const organizationId = await written(call, () => gateway.organizationOf(located.app));
  return auditEvent(gateway.dependencies, {
    type: "tool.invoked",
    outcome,
    ...(organizationId !== undefined && { organizationId }),
    ...(identity !== undefined && { actor: identity.agent.clientID, agent: identity.agent.clientID }),
    ...(identity?.user !== undefined && { user: identity.user.sub }),
    ...(identity !== undefined && identity.actChain.length > 0 && { actChain: identity.actChain }),
    ...detailsOf(call),
    app: located.app.name,
    tool: located.tool.name,
    requestId: call.request.requestId,
    argumentsDigest: argumentsDigest(call.arguments),
  });
}

/** `traceId` when the call is a part of a recorded trace. */
function detailsOf({ identity, request, sessionId }: ToolCall): Pick<AuditEvent, "details"> {
  const span = request.telemetry?.span;
  const details = {
    ...(sessionId !== undefined && { sessionId }),
    ...(identity !== undefined && vouchersOf(identity)),
    ...(span?.isRecorded && { traceId: span.traceId }),
  };
  return Object.keys(details).length === 0 ? {} : { details };
}

/** Client ids are an issuer's own names: without it they tell nobody apart. */
export function vouchersOf({ issuer, tokenId }: Identity): Readonly<Record<string, string>> {
  return { issuer, ...(tokenId !== undefined && { tokenId }) };
}

async function written<T>(call: ToolCall, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    call.request.logger.error("audit record not written", { tool: call.name, cause: causeOf(cause) });
    throw new GatewayError("not_recorded", "The call could not be recorded and was not made.", { cause });
  }
}

/** The call is over either way: what cannot be written now leaves a record that reads `unknown`. */
async function complete(
  event: AuditEvent,
  { request }: ToolCall,
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
