import { APPROVAL_STATES } from "../../stores/approvals.ts";
import { pageOf, type Shape, TIME } from "./common.ts";

const DIGEST = {
  type: "string",
  description:
    "SHA-256, base64url, of what is approved: app, tool, upstream, arguments, person, agent and organization. Only this call may be made.",
} as const;

/** A call that a person has to approve. */
export const APPROVAL = {
  title: "Approval",
  type: "object",
  properties: {
    approvalId: { type: "string", description: "`approval_…`." },
    state: {
      enum: APPROVAL_STATES,
      description:
        "`approved`: the agent may make the call, once. `consumed`: it was begun. `expired`: nobody decided in time, or the agent did " +
        "not call in time, or did not want the call any more.",
    },
    withdrawn: { type: "boolean", description: "It has expired as the agent did not want the call any more." },
    digest: DIGEST,
    app: { type: "string" },
    tool: { type: "string", description: "By the server's name." },
    upstream: { type: "string", description: "URL of the server that the call goes to." },
    arguments: {
      type: "string",
      description:
        "JSON text of the arguments exactly as they would go out, with sorted members (RFC 8785). Show it as text, with control " +
        "characters made visible. Absent once the call has begun or will not be made.",
    },
    answers: {
      type: "string",
      description:
        "JSON text of what the agent answers to questions that the server asked after an earlier call, likewise. Absent: there are none, or " +
        "the arguments are absent.",
    },
    person: { type: "string", description: "The person that the agent acts for. Absent: the agent acts for itself." },
    memberId: {
      type: "string",
      description:
        "The member of the directory whose account `person` was when the call was made. Absent: it was linked to none.",
    },
    agent: { type: "string", description: "Client id. Absent: nobody is authenticated." },
    issuer: { type: "string", description: "Of the agent's token." },
    by: {
      type: "string",
      description: "Who decides: `self`, the person that the agent acts for; `owners`; or a CEL expression.",
    },
    separate: { type: "boolean", description: "The person that the agent acts for cannot decide." },
    mayDecide: { type: "boolean", description: "Whether the caller may decide now." },
    requestedAt: TIME,
    expiresAt: {
      ...TIME,
      description: "Until then somebody may decide, an approved call may be made, or a refusal is told to the agent.",
    },
    decidedBy: { type: "string", description: "`user_…`, or the operator." },
    decidedAt: TIME,
    callId: { type: "string", description: "The audit record of the call." },
  },
  required: [
    "approvalId",
    "state",
    "digest",
    "app",
    "tool",
    "upstream",
    "by",
    "separate",
    "mayDecide",
    "requestedAt",
    "expiresAt",
  ],
  additionalProperties: false,
} as const;

export const APPROVAL_PAGE = pageOf("ApprovalPage", APPROVAL);

export const APPROVAL_DECISION = {
  title: "ApprovalDecision",
  type: "object",
  properties: {
    decision: { enum: ["approve", "refuse"] },
    digest: { ...DIGEST, description: "`digest` of the approval that the person was shown." },
  },
  required: ["decision", "digest"],
  additionalProperties: false,
} as const;

export type Approval = Shape<typeof APPROVAL>;
export type ApprovalPage = Shape<typeof APPROVAL_PAGE>;
