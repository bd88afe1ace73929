import { webRequested } from "../audit/event.ts";
import { beginRecord, completeRecord, NotRecordedError, recordRefused } from "../audit/record.ts";
import { type AuditPorts, describeSubject } from "../gateway/audit-call.ts";
import { GatewayError } from "../gateway/gateway-error.ts";
import type { Location } from "../reverse-proxy/locations.ts";
import type { AuditOutcome } from "../stores/audit-log.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebApp, WebPolicy, WebRequest } from "./web-apps.ts";
import type { WebCaller } from "./who-asks.ts";

/** What is recorded of a request. */
export interface RecordedUse {
  readonly app: WebApp;
  readonly asked: WebRequest;
  readonly context: RequestContext;
  /** Absent: none is about the path. */
  readonly policy?: WebPolicy | undefined;
  /** Absent: nobody was asked for yet. */
  readonly caller?: WebCaller | undefined;
}

/** Why a request was refused, as the record tells it. */
export interface RecordedDenial {
  readonly reason: string;
  readonly details?: Readonly<Record<string, string>> | undefined;
  /** Of the answer. */
  readonly status: number;
}

/** What a request came to. */
export interface WebOutcome {
  readonly outcome: Extract<AuditOutcome, "success" | "upstream_error">;
  readonly reason?: string;
  readonly status: number;
}

/** Records a refused request, or counts it (D157); nothing where `audit.proxy` is `off`. The refusal where it cannot be recorded. */
export async function recordWebDenial(
  use: RecordedUse,
  { reason, details, status }: RecordedDenial,
  ports: AuditPorts,
): Promise<WebRefusal | undefined> {
  if (auditOf(ports) === "off") return undefined;
  return unlessRecorded(async () => {
    const event = await describe("denied", use, ports, status);
    const told = { ...event, reason, details: { ...event.details, ...details } };
    await recordRefused(told, use.context, ports);
  });
}

/** What completes the record of a request that is made. It waits for nothing. */
export type CompleteWebRecord = (outcome: WebOutcome) => void;

/**
 * Begins the record of a request that may be made, where `audit.proxy` is `all`: it is durable before the request goes out (D27). The
 * refusal where it cannot be recorded.
 */
export async function beginWebRecord(
  use: RecordedUse,
  ports: AuditPorts,
): Promise<{ readonly complete: CompleteWebRecord } | { readonly refusal: WebRefusal }> {
  if (auditOf(ports) !== "all") return { complete: () => undefined };
  const { context } = use;
  // The runtime waits for the completion from now on: a client that leaves does not leave the record open.
  const { promise, resolve } = Promise.withResolvers<void>();
  let complete: CompleteWebRecord | undefined;
  const refusal = await unlessRecorded(async () => {
    const event = await beginRecord(await describe("unknown", use, ports), context, ports);
    context.waitUntil(promise);
    complete = ({ status, ...completed }) => {
      const completion = { ...completed, details: { ...event.details, status: String(status) } };
      void completeRecord(event, completion, context, ports).then(resolve);
    };
  });
  return complete === undefined ? { refusal: refusal ?? NOT_RECORDED } : { complete };
}

function auditOf({ configuration }: AuditPorts): "all" | "denied" | "off" {
  return configuration().configuration.auditWebRequests;
}

function describe(outcome: AuditOutcome, use: RecordedUse, ports: AuditPorts, status?: number) {
  const { app, asked, context, policy, caller } = use;
  const { host, path, request } = asked;
  const recorded = {
    ...{ app: app.settings.name, method: request.method, host, path },
    ...(policy !== undefined && { location: locationText(policy.settings.location) }),
    ...(asked.isSocket && { kind: "websocket" as const }),
    ...(caller?.connector !== undefined && { connector: caller.connector }),
    ...(status !== undefined && { status }),
  };
  const call = { identity: caller?.principal, request: context, sessionId: undefined };
  return describeSubject(outcome, { ...webRequested(recorded), appConfiguration: app.settings }, call, ports);
}

/** As the configuration writes it. */
export function locationText(location: Location): string {
  if (location.kind === "pattern") return `~ ${location.source}`;
  return location.kind === "exact" ? `= ${location.path}` : location.path;
}

const NOT_RECORDED = webRefusal("not_recorded", ({ notRecorded }) => notRecorded, { "retry-after": "5" });

async function unlessRecorded(record: () => Promise<void>): Promise<WebRefusal | undefined> {
  try {
    await record();
    return undefined;
  } catch (cause) {
    const isUnrecorded = cause instanceof NotRecordedError || cause instanceof GatewayError;
    if (!isUnrecorded) throw cause;
    return NOT_RECORDED;
  }
}
