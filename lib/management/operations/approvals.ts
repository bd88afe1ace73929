import { APPROVAL_STATES } from "../../stores/approvals.ts";
import { APPROVAL, APPROVAL_DECISION, APPROVAL_PAGE } from "../schemas/approvals.ts";
import { type Operation, PAGE, pathParameter } from "./operation.ts";

const PATH = "/api/v1/approvals";

/** Calls that people approve (D230). */
export const APPROVAL_OPERATIONS = [
  {
    operationId: "listApprovals",
    method: "get",
    path: PATH,
    summary: "Calls that wait for approval, and what became of them",
    description:
      "For owners those of the organization; for others those of their own agents, and those that they may decide on. A page may be " +
      "short, and not the last.",
    parameters: [
      { name: "state", in: "query", schema: { enum: APPROVAL_STATES }, description: "Absent: whichever." },
      ...PAGE,
    ],
    answers: [{ status: 200, description: "Newest first.", schema: APPROVAL_PAGE }],
    access: { role: "member" },
  },
  {
    operationId: "showApproval",
    method: "get",
    path: `${PATH}/{approvalId}`,
    summary: "A call that waits for approval",
    description: "Also for the person that the agent acts for, whatever organization the app belongs to.",
    parameters: [pathParameter("approvalId")],
    answers: [{ status: 200, description: "With all arguments.", schema: APPROVAL }],
    problems: ["not_found"],
    access: { role: "member" },
  },
  {
    operationId: "decideApproval",
    method: "post",
    path: `${PATH}/{approvalId}/decision`,
    summary: "Approve or refuse a call",
    description:
      "Nothing is executed: the agent makes the call again, and it is decided on anew. Whoever approves for an organization has signed " +
      "in within ten minutes, with a passkey where they have one. `conflict`: the digest is another, or it does not wait any more.",
    parameters: [pathParameter("approvalId")],
    body: { schema: APPROVAL_DECISION },
    answers: [{ status: 200, description: "It is decided.", schema: APPROVAL }],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
    access: { role: "member" },
  },
] as const satisfies readonly Operation[];
