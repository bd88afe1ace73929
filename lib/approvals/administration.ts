import { type AuditEventPorts, auditEvent, byAdministrator } from "../audit/event.ts";
import type { DirectoryPorts } from "../directory/ports.ts";
import { requireProof } from "../directory/sign-in-methods.ts";
import { readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import { notificationMessage } from "../protocol/mcp/json-rpc.ts";
import {
  APPROVAL_STATES,
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalState,
  type Approvals,
  approvalSubject,
} from "../stores/approvals.ts";
import type { Page, PageRequest } from "../stores/paging.ts";
import type { SessionChannel } from "../stores/session-channel.ts";
import { type Approver, type ApproverRights, approverRights } from "./approver.ts";

export interface ApprovalAdministrationPorts extends AuditEventPorts, Pick<DirectoryPorts, "configuration" | "clock"> {
  readonly stores: Pick<DirectoryPorts["stores"], "identities" | "passkeys" | "auditLog"> & {
    readonly approvals: Pick<Approvals, "approval" | "listApprovals" | "decideApproval">;
  };
  readonly sessionChannel?: SessionChannel | undefined;
}

/** An approval, and whether whoever looks at it may decide on it. */
export interface ShownApproval {
  readonly approval: ApprovalRecord;
  readonly mayDecide: boolean;
}

/**
 * Approvals of the organization, newest first: for owners all, for others their own and those that they may decide on. A page may be
 * short, or empty, and not the last.
 */
export async function listApprovals(
  ports: ApprovalAdministrationPorts,
  approver: Approver,
  state: ApprovalState | undefined,
  page: PageRequest,
): Promise<Page<ShownApproval>> {
  const rights = await approverRights(approver, ports);
  const { organizationId } = approver;
  const filter = { organizationId, now: ports.clock.now(), ...(state !== undefined && { state }) };
  const found = await ports.stores.approvals.listApprovals(filter, page);
  return { ...found, items: found.items.filter(rights.mayRead).map((approval) => shown(approval, rights)) };
}

/** @throws ProblemError `not_found`, also where it is not for the one who asks */
export async function readApproval(
  ports: ApprovalAdministrationPorts,
  approver: Approver,
  approvalId: string,
): Promise<ShownApproval> {
  const rights = await approverRights(approver, ports);
  return shown(await found(ports, approvalId, rights), rights);
}

/**
 * Approves or refuses a call, with exactly the arguments that the approver was shown. It executes nothing: the agent's next call does,
 * and is decided on as every call is.
 *
 * @param input `{decision, digest}`
 * @throws ProblemError `not_found`, `forbidden`, `recent_sign_in_required`, `conflict`, `invalid_body`, `invalid_field`
 */
export async function decideApproval(
  ports: ApprovalAdministrationPorts,
  approver: Approver,
  approvalId: string,
  input: unknown,
): Promise<ShownApproval> {
  const given = readDecision(input);
  const rights = await approverRights(approver, ports);
  const approval = await found(ports, approvalId, rights);
  if (!rights.mayDecide(approval)) throw new ProblemError("forbidden", whyNot(approval, rights));
  if (given.state === "approved" && approval.by !== "self") await requireProof(ports, approver, PROVEN);
  return shown(await decided(ports, approval, given, approver), rights);
}

/** Every approval of the organization, for the operator of this machine. */
export function operatorApprovals(
  { stores, clock }: ApprovalAdministrationPorts,
  organizationId: string,
  state: ApprovalState | undefined,
  page: PageRequest,
): Promise<Page<ApprovalRecord>> {
  return stores.approvals.listApprovals({ organizationId, now: clock.now(), ...(state && { state }) }, page);
}

/**
 * The decision of the operator of this machine, who stands for the owners of the organization: what its person or somebody in
 * particular has to approve they can refuse, and not approve.
 *
 * @throws ProblemError `not_found`, `forbidden`, `conflict`
 */
export async function decideAsOperator(
  ports: ApprovalAdministrationPorts,
  operator: Pick<Approver, "id" | "organizationId">,
  approvalId: string,
  given: Pick<ApprovalDecision, "state" | "digest">,
): Promise<ApprovalRecord> {
  const approval = await ports.stores.approvals.approval(approvalId, ports.clock.now());
  if (approval === undefined || approval.organizationId !== operator.organizationId) throw unknownApproval();
  if (given.state === "approved" && approval.by !== "owners")
    throw new ProblemError("forbidden", "The operator stands for owners, and can refuse what others have to approve.");
  return decided(ports, approval, given, operator);
}

/** The state of a text that names one. */
export function approvalState(text: string): ApprovalState | undefined {
  return APPROVAL_STATES.find((state) => state === text);
}

function shown(approval: ApprovalRecord, rights: ApproverRights): ShownApproval {
  return { approval, mayDecide: approval.state === "pending" && rights.mayDecide(approval) };
}

async function found(
  { stores, clock }: ApprovalAdministrationPorts,
  approvalId: string,
  rights: ApproverRights,
): Promise<ApprovalRecord> {
  const approval = await stores.approvals.approval(approvalId, clock.now());
  if (approval === undefined || !rights.mayRead(approval)) throw unknownApproval();
  return approval;
}

const DECISIONS: Readonly<Record<string, ApprovalDecision["state"]>> = { approve: "approved", refuse: "refused" };

function readDecision(input: unknown): Pick<ApprovalDecision, "state" | "digest"> {
  const fields = readFields(input, ["decision", "digest"]);
  const { decision, digest } = fields.object;
  const state = typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  if (state === undefined) fields.refuse("/decision", `must be ${Object.keys(DECISIONS).join(" or ")}`);
  if (typeof digest !== "string") fields.refuse("/digest", "must be the digest of the approval that was shown");
  fields.finish();
  return { state: state ?? "refused", digest: String(digest) };
}

function whyNot(approval: ApprovalRecord, { isRequester }: ApproverRights): string {
  if (approval.separate && isRequester(approval)) return "Somebody else has to decide: the agent acts for you.";
  return "You may see this approval, and others have to decide on it.";
}

/** Who lets an agent do what its person may not do alone proves who they are. */
const PROVEN = { may: "calls can be approved", mayNot: "you approve no calls" };

async function decided(
  ports: ApprovalAdministrationPorts,
  approval: ApprovalRecord,
  { state, digest }: Pick<ApprovalDecision, "state" | "digest">,
  approver: Pick<Approver, "id" | "name" | "requestId">,
): Promise<ApprovalRecord> {
  const { approvalId } = approval;
  const event = auditEvent(ports, {
    ...{ type: `approval.${state}`, outcome: "success", ...approvalSubject(approval) },
    ...byAdministrator(approver),
  });
  const decision = { approvalId, digest, state, by: approver.id, now: ports.clock.now() };
  const after = await ports.stores.approvals.decideApproval(decision, event);
  if (after !== undefined) {
    await tellAgent(after, ports);
    return after;
  }
  const now = await ports.stores.approvals.approval(approvalId, ports.clock.now());
  throw new ProblemError(
    "conflict",
    now?.state === "pending"
      ? "The digest is not the approval's: look at it again before you decide."
      : `It does not wait for a decision any more: it is ${now?.state ?? "forgotten"}.`,
  );
}

/** It may call again now. It reaches the session's stream, whoever holds it; where nobody does, it is lost. */
async function tellAgent(
  { approvalId, sessionHash }: ApprovalRecord,
  { sessionChannel }: Pick<ApprovalAdministrationPorts, "sessionChannel">,
): Promise<void> {
  if (sessionHash === undefined) return;
  const message = notificationMessage("notifications/elicitation/complete", { elicitationId: approvalId });
  await sessionChannel?.publish(sessionHash, { kind: "message", message });
}

/** The same answer if there is none and if it is not for the one who asks. */
function unknownApproval(): ProblemError {
  return new ProblemError("not_found", "There is no such approval, or it is not for you.");
}
