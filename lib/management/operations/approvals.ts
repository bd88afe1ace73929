import type { Operation } from "./operation.ts";

const PATH = "/api/v1/approvals";

/** Calls that people approve (D230). */
export const APPROVAL_OPERATIONS = [
  {
    operationId: "listApprovals",
    method: "get",
    path: PATH,
    access: { role: "member" },
  },
  {
    operationId: "showApproval",
    method: "get",
    path: `${PATH}/{approvalId}`,
    access: { role: "member" },
  },
  {
    operationId: "decideApproval",
    method: "post",
    path: `${PATH}/{approvalId}/decision`,
    access: { role: "member" },
  },
] as const satisfies readonly Operation[];
