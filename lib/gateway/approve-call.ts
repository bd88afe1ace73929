import { auditEvent } from "../audit/event.ts";
import { written } from "../audit/record.ts";
import { approvalPage } from "../config/endpoints.ts";
import { ulid } from "../kernel/ids.ts";
import { isJsonObject } from "../kernel/json.ts";
import { type ApprovalRecord, type Approvals, approvalSubject, newApprovalId } from "../stores/approvals.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { Identities } from "../stores/identities.ts";
import type { Notice, Webhooks } from "../webhooks/webhooks.ts";
import { type SealedTaskPorts, sealedCall } from "./approval-task.ts";
import { type AuditPorts, describeCall, notMade } from "./audit-call.ts";
import { approvalDigest } from "./decision/approval.ts";
import type { AnsweredQuestions, ApprovedUse, NeededApproval } from "./decision/step.ts";
import { GatewayError } from "./gateway-error.ts";
import type { ToolCall } from "./tool-call.ts";
import type { CallableTool } from "./tool-index.ts";

/** Where approvals are kept, besides what makes records. */
export type ApprovalPorts = AuditPorts &
  SealedTaskPorts & {
    /** Absent: nobody is told. */
    readonly webhooks?: Webhooks | undefined;
    readonly stores: {
      readonly approvals: Pick<
        Approvals,
        "requestApproval" | "approval" | "consumeApproval" | "withdrawApproval" | "keepOutcome"
      >;
      readonly identities: Pick<Identities, "findIdentity">;
    };
  };

/**
 * Keeps a call for whoever approves it, or finds that it is kept: repetitions of a call wait for one decision.
 *
 * @throws GatewayError `too_many_approvals`, or `not_recorded` where nothing can be kept
 */
export async function requestApproval(
  { subject, digest, text, answers, lifetime }: NeededApproval,
  call: ToolCall,
  ports: ApprovalPorts,
): Promise<ApprovalRecord> {
  const now = ports.clock.now();
  const memberId = await orNotMade(call, () => memberOf(call, ports));
  const region = ports.configuration().configuration.oidcProvider?.region;
  const approvalId = newApprovalId(subject.organizationId, ulid(now, ports.random));
  const sealed = await sealedCall(approvalId, call.agent, ports);
  const record: ApprovalRecord = {
    approvalId,
    ...subject,
    ...(memberId !== undefined && { memberId }),
    ...(region !== undefined && { region }),
    ...(answers !== undefined && { answers }),
    ...(subject.by === "self" && elicitedIn(call)),
    ...(sealed !== undefined && { call: sealed }),
    ...{ digest, arguments: text, state: "pending", requestedAt: now, lifetime, expiresAt: now + lifetime },
  };
  const event = approvalEvent("approval.requested", record, call, ports);
  const requested = await orNotMade(call, () => ports.stores.approvals.requestApproval(record, event));
  if (requested.outcome === "waits") {
    const isNew = requested.approval.approvalId === record.approvalId;
    if (isNew) ports.webhooks?.tell(noticeOf(record, event, ports), call.request.waitUntil);
    return requested.approval;
  }
  const whose = requested.of === "caller" ? "of yours" : "of this organization";
  throw new GatewayError(
    "too_many_approvals",
    `The call was not made: it needs an approval, and as many calls ${whose} as may wait for one do already. Try again when they are decided on.`,
  );
}

/** Without the arguments: whoever has them read has signed in. */
function noticeOf(record: ApprovalRecord, { id, time }: AuditEvent, ports: ApprovalPorts): Notice {
  const { approvalId, organizationId, app, tool, person, agent, by, digest, expiresAt } = record;
  const url = approvalPage(approvalId, ports.configuration().configuration);
  const data = {
    ...{ approvalId, digest, app, tool, by, expiresAt: new Date(expiresAt).toISOString() },
    ...(person !== undefined && { person }),
    ...(agent !== undefined && { agent }),
    ...(url !== undefined && { url }),
  };
  return { type: "approval.requested", id, time, organizationId, data };
}

/**
 * Whom of the directory the agent acts for, as it is known when the call is made: who takes their account away afterwards is still
 * the one who asked.
 */
async function memberOf({ identity }: ToolCall, { stores }: ApprovalPorts): Promise<string | undefined> {
  if (identity?.memberId !== undefined) return identity.memberId;
  if (identity?.user === undefined) return undefined;
  const linked = await stores.identities.findIdentity({ issuer: identity.issuer, subject: identity.user.sub });
  return linked?.userId;
}

/** What became of a call that waits; undefined: it is forgotten. */
export function awaitedApproval(approvalId: string, ports: ApprovalPorts): Promise<ApprovalRecord | undefined> {
  return ports.stores.approvals.approval(approvalId, ports.clock.now());
}

/**
 * Ends an approval that waits or may be used: its agent does not want the call any more. Nothing happens to one that has ended.
 *
 * @throws GatewayError `not_recorded`
 */
export async function withdrawApproval(
  record: ApprovalRecord,
  asking: Pick<ToolCall, "identity" | "request">,
  ports: ApprovalPorts,
): Promise<void> {
  if (record.state !== "pending" && record.state !== "approved") return;
  const event = approvalEvent("approval.withdrawn", record, asking, ports);
  const { approvalId } = record;
  await orNotMade(asking, () => ports.stores.approvals.withdrawApproval(approvalId, event.time, event));
}

/**
 * Uses an approval up and writes the intent of the call, both durable when this resolves: of any number of calls one comes this far.
 * What is approved is compared with what goes out, once more.
 *
 * @param more details of the record
 * @throws GatewayError `approval_used` where it was used up, or is over; `not_recorded`. Then the call must not be made.
 */
export async function beginApproved(
  { approvalId, subject, pin }: ApprovedUse,
  located: CallableTool,
  call: ToolCall,
  ports: ApprovalPorts,
  more: Readonly<Record<string, string>> = {},
): Promise<AuditEvent> {
  const described = await describeCall("unknown", located, call, ports);
  const intent = { ...described, details: { ...described.details, ...more, approvalId } };
  const digest = approvalDigest(subject, located.argumentsOf(call), answeredOf(located, call), pin);
  const event = approvalEvent("approval.consumed", { ...subject, approvalId, digest }, call, ports);
  const use = { approvalId, digest, now: intent.time, byTask: call.task !== undefined };
  const isConsumed = await orNotMade(call, () => ports.stores.approvals.consumeApproval(use, intent, event));
  if (isConsumed) return intent;
  throw new GatewayError(
    "approval_used",
    "The call was not made: its approval has been used by the same call, or is over. To make it again, call again and wait for another approval.",
  );
}

/** What of a call goes on after questions of an MCP server; undefined: nothing, or it goes to a REST API, which asks nothing. */
export function answeredOf({ kind }: Pick<CallableTool, "kind">, { agent }: ToolCall): AnsweredQuestions | undefined {
  if (kind !== "proxy") return undefined;
  const { inputResponses, requestState } = agent.params();
  if (inputResponses === undefined && requestState === undefined) return undefined;
  return { inputResponses, requestState };
}

/** The session whose agent gets the link as an elicitation of MCP 2025-11-25. */
function elicitedIn({ agent }: ToolCall): Pick<ApprovalRecord, "sessionHash"> {
  const { session, protocolVersion, clientCapabilities } = agent;
  const { elicitation } = clientCapabilities;
  const takesLinks = isJsonObject(elicitation) && isJsonObject(elicitation.url);
  if (session === undefined || protocolVersion !== "2025-11-25" || !takesLinks) return {};
  return { sessionHash: session.reference.sessionHash };
}

function approvalEvent(
  type: "approval.requested" | "approval.consumed" | "approval.withdrawn",
  record: Parameters<typeof approvalSubject>[0],
  { identity, request: { requestId } }: Pick<ToolCall, "identity" | "request">,
  ports: AuditPorts,
): AuditEvent {
  const actor = identity?.agent.clientID ?? identity?.user?.sub;
  return auditEvent(ports, {
    ...{ type, outcome: "success", requestId },
    ...approvalSubject(record),
    ...(actor !== undefined && { actor }),
  });
}

async function orNotMade<T>({ request }: Pick<ToolCall, "request">, write: () => Promise<T>): Promise<T> {
  return notMade(() => written(request, write));
}
