import type { Context } from "hono";
import { approvalState, decideApproval, listApprovals, readApproval } from "../../lib/approvals/administration.ts";
import type { Approver } from "../../lib/approvals/approver.ts";
import type { APPROVAL_OPERATIONS } from "../../lib/management/operations/approvals.ts";
import { representApproval } from "../../lib/management/representations/approvals.ts";
import type { Approval, ApprovalPage } from "../../lib/management/schemas/approvals.ts";
import { APPROVAL_STATES } from "../../lib/stores/approvals.ts";
import type { Env } from "../env.ts";
import { administrator, type PersonCaller } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { invalidQuery, refuseUnknownQuery, textQuery } from "../middleware/query.ts";

export const APPROVAL_ENDPOINTS: Endpoints<typeof APPROVAL_OPERATIONS> = {
  /** GET: those that the person may know of, newest first. */
  listApprovals: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, ["state", "limit", "cursor"]);
    const found = await listApprovals(dependencies, approver(caller, c), stateQuery(c), pageQuery(c));
    return answerJson<ApprovalPage>(c, shownPage(c, found, representApproval));
  },

  /** GET: all that the person decides on. */
  showApproval: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const shown = await readApproval(dependencies, approver(caller, c), c.req.param("approvalId") ?? "");
    return answerJson<Approval>(c, representApproval(shown));
  },

  /** POST `{decision, digest}`: 200 once it is decided. */
  decideApproval: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const approvalId = c.req.param("approvalId") ?? "";
    const shown = await decideApproval(dependencies, approver(caller, c), approvalId, await readJsonBody(c));
    return answerJson<Approval>(c, representApproval(shown));
  },
};

function stateQuery(c: Context<Env>) {
  const text = textQuery(c, "state");
  if (text === undefined) return undefined;
  const state = approvalState(text);
  if (state === undefined) throw invalidQuery("state", `must be one of ${APPROVAL_STATES.join(", ")}`);
  return state;
}

function approver(caller: PersonCaller, c: Context<Env>): Approver {
  const { role, method, signedInAt } = caller;
  return { ...administrator(caller, c), role, method, signedInAt };
}
