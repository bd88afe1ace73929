import { causeOf } from "../logging/cause.ts";
import type { AuditCompletion, AuditEvent, AuditLog } from "../stores/audit-log.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { AuditEventPorts } from "./event.ts";
import type { RefusalPorts } from "./refusals.ts";

/** Where records of what callers ask for are written. */
export interface RecordPorts extends RefusalPorts, Pick<AuditEventPorts, "clock"> {
  readonly stores: { readonly auditLog: Pick<AuditLog, "begin" | "complete"> };
}

/** The request that is recorded. */
export type RecordedRequest = Pick<RequestContext, "logger" | "waitUntil">;

/** The log takes no record: what was asked for must not be done. */
export class NotRecordedError extends Error {
  constructor(cause: unknown) {
    super("The request could not be recorded and was not carried out.", { cause });
    this.name = "NotRecordedError";
  }
}

/** What became of what was begun. */
export type Completed = Pick<AuditCompletion, "outcome" | "reason" | "details">;

/**
 * Writes the intent, durable when this resolves: the record reads `unknown` until it is completed (D27).
 *
 * @throws NotRecordedError
 */
export async function beginRecord(
  event: AuditEvent,
  request: RecordedRequest,
  ports: RecordPorts,
): Promise<AuditEvent> {
  await written(request, () => ports.stores.auditLog.begin(event));
  return event;
}

/**
 * Records what is refused, or counts it (D157).
 *
 * @throws NotRecordedError
 */
export function recordRefused(event: AuditEvent, request: RecordedRequest, ports: RecordPorts): Promise<void> {
  logRequest(event, request);
  return written(request, () => ports.refusals.record(event));
}

/**
 * Does what was begun and completes its record. The runtime is told to wait for the completion before, so that a client that leaves
 * does not leave the record open (D27).
 */
export async function completing<Made extends Completed>(
  event: AuditEvent,
  request: RecordedRequest,
  ports: RecordPorts,
  act: () => Promise<Made>,
): Promise<Made> {
  const { promise, resolve } = Promise.withResolvers<void>();
  request.waitUntil(promise);
  try {
    const made = await act();
    await completeRecord(event, made, request, ports);
    return made;
  } catch (cause) {
    await completeRecord(event, { outcome: "upstream_error", reason: "internal" }, request, ports);
    throw cause;
  } finally {
    resolve();
  }
}

/** It is over either way: what cannot be written now leaves a record that reads `unknown`. */
export async function completeRecord(
  event: AuditEvent,
  completed: Completed,
  request: Pick<RecordedRequest, "logger">,
  { stores, clock }: Pick<RecordPorts, "stores" | "clock">,
): Promise<void> {
  const durationMs = clock.now() - event.time;
  const { outcome, reason, details } = completed;
  const completion = { outcome, durationMs, ...(reason !== undefined && { reason }), ...(details && { details }) };
  logRequest({ ...event, outcome, durationMs, ...(reason !== undefined && { reason }) }, request);
  try {
    await stores.auditLog.complete(event, completion);
  } catch (cause) {
    request.logger.error("audit record not completed", { eventId: event.id, outcome, cause: causeOf(cause) });
  }
}

/** @throws NotRecordedError */
export async function written<T>({ logger }: Pick<RecordedRequest, "logger">, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    logger.error("audit record not written", { cause: causeOf(cause) });
    throw new NotRecordedError(cause);
  }
}

/** Who asked for what, for whoever looks for one request among many. The record has more. */
function logRequest(event: AuditEvent, { logger }: Pick<RecordedRequest, "logger">): void {
  const { type, outcome, reason, tool, app, agent, user, durationMs } = event;
  logger.debug("call", { type, outcome, reason, tool, app, agent, user, durationMs });
}
