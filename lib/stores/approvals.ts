import { sha256 } from "#sha256";
import { ulid } from "../kernel/ids.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";
import type { Page, PageRequest } from "./paging.ts";

/**
 * - `pending`: nobody has decided yet.
 * - `approved`: the agent may make the call, once.
 * - `refused`: the agent is told so until it is over.
 * - `expired`: nobody decided in time, or the agent did not call in time. It follows from the time; stores may keep the state before.
 * - `consumed`: the call was begun.
 */
export const APPROVAL_STATES = ["pending", "approved", "refused", "expired", "consumed"] as const;

export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** A call that a person has to approve (D230). Times in milliseconds since the epoch. */
export interface ApprovalRecord {
  /** Of `approvalId`: it says where the record lies. */
  readonly approvalId: string;
  /** The organization that the app belongs to; empty: the instance has none. */
  readonly organizationId: string;
  /** SHA-256, base64url, of what is approved: only this call may be made. */
  readonly digest: string;
  readonly app: string;
  /** The server's name. */
  readonly tool: string;
  /** URL of the upstream. */
  readonly upstream: string;
  /** Canonical JSON of the arguments as they would go out; absent once it is decided that they do not, or they have. */
  readonly arguments?: string;
  /** Canonical JSON of what the agent answers to questions of the server, where its call goes on after some; kept as long as the arguments. */
  readonly answers?: string;
  /** The person that the agent acts for, as `personOf` names them; absent: it acts for itself. */
  readonly person?: string;
  /** `user_…` of the directory, where the person had linked the account. */
  readonly memberId?: string;
  /** Client id; absent: nobody is authenticated. */
  readonly agent?: string;
  /** Of the agent's token. */
  readonly issuer?: string;
  /** As configured: `self`, `owners` or a CEL expression. */
  readonly by: string;
  /** The person behind the call cannot approve it. */
  readonly separate: boolean;
  readonly state: ApprovalState;
  readonly requestedAt: number;
  /** How long somebody may take to decide, and the agent to call after that. */
  readonly lifetime: number;
  /** When the state ends, where it does not last. */
  readonly expiresAt: number;
  /** `user_…`, or the operator. */
  readonly decidedBy?: string;
  readonly decidedAt?: number;
  /** The audit record of the call. */
  readonly callId?: string;
  /** Of the agent's session, where it was given the link as an elicitation and hears of its end (MCP 2025-11-25, Completion Notifications). */
  readonly sessionHash?: string;
  /** Of the instance, for the record of its expiry. */
  readonly region?: string;
  /** The agent's own request, sealed, where the agent waits by a task (D239); kept as long as the arguments. */
  readonly call?: string;
  /** When the call was begun. */
  readonly begunAt?: number;
  /** How the task ended, sealed, for an agent that waits by one. */
  readonly outcome?: string;
  /** The agent does not want the call any more: it has expired by that. */
  readonly isWithdrawn?: true;
}

/** Whom an organization's live approvals are counted by: the person and the agent of the request. */
export function approvalCaller({ issuer, person, agent }: ApprovalRecord): string {
  return JSON.stringify([issuer ?? null, person ?? null, agent ?? null]);
}

/** Live ones of one person and agent: what is decided on gives them no room for more before it is used up or over. */
export const MOST_OF_CALLER = 20;
/** Live ones of an organization. */
export const MOST_LIVE = 400;
/** UTF-8 bytes of the arguments' text and that of answers together. */
export const MOST_ARGUMENTS = 65_536;
/** UTF-8 bytes of what is kept for a task: of the agent's request, and of what became of it. */
export const MOST_OF_TASK = 65_536;
/** How long one that nobody decided stays after its end, and one that somebody did. */
const EXPIRED_KEPT = 3_600_000;
const DECIDED_KEPT = 7 * 86_400_000;

/** When nothing is known of it any more. */
export function forgottenAt({ expiresAt, decidedAt }: Pick<ApprovalRecord, "expiresAt" | "decidedAt">): number {
  return expiresAt + (decidedAt === undefined ? EXPIRED_KEPT : DECIDED_KEPT);
}

/** The record as it is at a time: what nobody did in time has expired. */
export function approvalAt(record: ApprovalRecord, now: number): ApprovalRecord {
  if (record.expiresAt > now || (record.state !== "pending" && record.state !== "approved")) return record;
  return withoutArguments({ ...record, state: "expired" });
}

/** Whether repeated calls find it: it waits, may be used, or was refused a short time ago. */
export function isLive({ state, expiresAt }: Pick<ApprovalRecord, "state" | "expiresAt">, now: number): boolean {
  return expiresAt > now && (state === "pending" || state === "approved" || state === "refused");
}

/** An approval that has ended keeps no arguments. */
export function withoutArguments({ arguments: _, answers: __, call: ___, ...record }: ApprovalRecord): ApprovalRecord {
  return record;
}

/** The record as lists have it: without what a task keeps, which is as long as the arguments again. */
export function listedApproval({ call: _, outcome: __, ...record }: ApprovalRecord): ApprovalRecord {
  return record;
}

export interface ApprovalDecision {
  readonly approvalId: string;
  /** That of the record which the approver was shown. */
  readonly digest: string;
  readonly state: "approved" | "refused";
  readonly by: string;
  readonly now: number;
}

/** The record after a decision; undefined: it does not wait for one, or is another. */
export function decided(record: ApprovalRecord | undefined, decision: ApprovalDecision): ApprovalRecord | undefined {
  const { digest, state, by, now } = decision;
  if (record === undefined || record.digest !== digest || approvalAt(record, now).state !== "pending") return undefined;
  const next = { ...record, state, decidedBy: by, decidedAt: now, expiresAt: now + record.lifetime };
  return state === "approved" ? next : withoutArguments(next);
}

export interface ApprovalUse {
  readonly approvalId: string;
  /** Of the call that is about to be made. */
  readonly digest: string;
  readonly now: number;
  /** The call is made by the approval's task: not once that has ended. */
  readonly byTask?: boolean;
}

/** The record once the call is begun; undefined: it is not approved, or another call is. */
export function consumed(
  record: ApprovalRecord | undefined,
  { digest, now, byTask = false }: ApprovalUse,
  callId: string,
): ApprovalRecord | undefined {
  if (record === undefined || record.digest !== digest || approvalAt(record, now).state !== "approved")
    return undefined;
  if (byTask && record.outcome !== undefined) return undefined;
  return withoutArguments({ ...record, state: "consumed", callId, begunAt: now });
}

/** The record once its agent wants the call no more; undefined: it has ended, or the call is begun. */
export function withdrawn(record: ApprovalRecord | undefined, now: number): ApprovalRecord | undefined {
  const state = record && approvalAt(record, now).state;
  if (record === undefined || (state !== "pending" && state !== "approved")) return undefined;
  return withoutArguments({ ...record, state: "expired", expiresAt: now, isWithdrawn: true });
}

/** In which state of the approval its task ends: the call was begun, or would be refused although somebody approved it. */
export type EndedTask = Extract<ApprovalState, "approved" | "consumed">;

/** The record with the end of its task; undefined: the approval is in another state, or the task has ended already. */
export function withOutcome(
  record: ApprovalRecord | undefined,
  outcome: string,
  state: EndedTask,
): ApprovalRecord | undefined {
  return record?.state === state && record.outcome === undefined ? { ...record, outcome } : undefined;
}

/** What an organization has of its kind already; plain data. */
export type RequestedApproval =
  /** `isNew`: the event is written. */
  | { readonly outcome: "waits"; readonly approval: ApprovalRecord; readonly isNew: boolean }
  /** There are as many as there may be: of this person and agent, or of the organization. */
  | { readonly outcome: "too_many"; readonly of: "caller" | "organization" };

export interface ApprovalFilter {
  readonly organizationId: string;
  readonly state?: ApprovalState;
  readonly now: number;
}

/**
 * Calls that people approve. All of an organization lie in one place, and change by compare-and-set: of any number of processes one
 * decides, and one begins the call.
 */
export const APPROVALS = {
  /** Finds the live one of the same organization and digest, or keeps this one, which is pending, with its event. */
  requestApproval: write<(record: ApprovalRecord, event: AuditEvent) => RequestedApproval>(),
  approval: read<(approvalId: string, now: number) => ApprovalRecord | undefined>(),
  /** The live one of a digest. */
  liveApproval: read<(organizationId: string, digest: string, now: number) => ApprovalRecord | undefined>(),
  /** Newest first, each as `listedApproval` has it; a page may be short, and not the last. */
  listApprovals: read<(filter: ApprovalFilter, page: PageRequest) => Page<ApprovalRecord>>(),
  /** Undefined: it does not wait for a decision, or its digest is another. Nothing is written then. */
  decideApproval: once<(decision: ApprovalDecision, event: AuditEvent) => ApprovalRecord | undefined>(),
  /**
   * Begins the call: the intent, whose outcome reads `unknown` until `auditLog.complete`, and the consumption are durable together
   * when it resolves to true. False: it is not approved for this digest, or was consumed. Nothing is written then.
   */
  consumeApproval: once<(use: ApprovalUse, intent: AuditEvent, event: AuditEvent) => boolean>(),
  /** Ends one that waits or may be used. False: it is neither. Nothing is written then. */
  withdrawApproval: once<(approvalId: string, now: number, event: AuditEvent) => boolean>(),
  /** Keeps how the task ended, where the approval is in this state and the task has not ended yet. */
  keepOutcome: write<(approvalId: string, outcome: string, state: EndedTask) => void>(),
};

export type Approvals = Port<typeof APPROVALS>;

/** The record of an approval's expiry, the same whoever notices it: written twice, it is one record. */
export function approvalExpired(record: ApprovalRecord): AuditEvent {
  const { approvalId, expiresAt: time, region } = record;
  const bytes = sha256(`${approvalId} ${time}`);
  return {
    id: ulid(time, { bytes: (length) => bytes.slice(0, length) }),
    ...{ time, type: "approval.expired", outcome: "success", ...approvalSubject(record) },
    ...(region !== undefined && { region }),
  };
}

/** What every event of an approval says of it. */
export function approvalSubject(
  record: Pick<ApprovalRecord, "approvalId" | "digest" | "organizationId" | "app" | "tool" | "person" | "agent">,
): Pick<AuditEvent, "organizationId" | "agent" | "user" | "app" | "tool" | "details"> {
  const { approvalId, digest, organizationId, app, tool, person, agent } = record;
  return {
    ...(organizationId !== "" && { organizationId }),
    ...(agent !== undefined && { agent }),
    ...(person !== undefined && { user: person }),
    ...{ app, tool, details: { approvalId, digest } },
  };
}

/** `approval_<ULID><place>`: the place, two hexadecimal digits, is that of its organization. */
export function newApprovalId(organizationId: string, ulid: string): string {
  return `approval_${ulid}${approvalPlace(organizationId).toString(16).padStart(2, "0")}`;
}

/** Where all approvals of an organization lie, 0 to 255. */
export function approvalPlace(organizationId: string): number {
  return sha256(`approval\0${organizationId}`)[0] ?? 0;
}

/** The place in an id; undefined: it is none. */
export function placeInId(approvalId: string): number | undefined {
  const place = /^approval_[0-9A-HJKMNP-TV-Z]{26}([0-9a-f]{2})$/.exec(approvalId)?.[1];
  return place === undefined ? undefined : Number.parseInt(place, 16);
}
