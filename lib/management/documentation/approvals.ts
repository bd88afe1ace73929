import { APPROVAL_STATES } from "../../stores/approvals.ts";
import type { APPROVAL_OPERATIONS } from "../operations/approvals.ts";
import { APPROVAL, APPROVAL_DECISION, APPROVAL_PAGE } from "../schemas/approvals.ts";
import type { Documentation } from "./documentation.ts";
import { PAGE, pathParameter } from "./documentation.ts";

/** Calls that people approve (D230). */
export const APPROVAL_DOCUMENTATION = {
  listApprovals: {
    summary: "Calls that wait for approval, and what became of them",
    description:
      "For owners those of the organization; for others those of their own agents, and those that they may decide on. A page may be " +
      "short, and not the last.",
    parameters: [
      { name: "state", in: "query", schema: { enum: APPROVAL_STATES }, description: "Absent: whichever." },
      ...PAGE,
    ],
    answers: [{ status: 200, description: "Newest first.", schema: APPROVAL_PAGE }],
  },
  showApproval: {
    summary: "A call that waits for approval",
    description: "Also for the person that the agent acts for, whatever organization the app belongs to.",
    parameters: [pathParameter("approvalId")],
    answers: [{ status: 200, description: "With all arguments.", schema: APPROVAL }],
    problems: ["not_found"],
  },
  decideApproval: {
    summary: "Approve or refuse a call",
    description:
      "Nothing is executed: the agent makes the call again, and it is decided on anew. Whoever approves for an organization has signed " +
      "in within ten minutes, with a passkey where they have one. `conflict`: the digest is another, or it does not wait any more.",
    parameters: [pathParameter("approvalId")],
    body: { schema: APPROVAL_DECISION },
    answers: [{ status: 200, description: "It is decided.", schema: APPROVAL }],
    problems: ["not_found", "conflict", "recent_sign_in_required"],
  },
} as const satisfies Documentation<typeof APPROVAL_OPERATIONS>;
