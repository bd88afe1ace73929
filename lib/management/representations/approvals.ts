import type { ShownApproval } from "../../approvals/administration.ts";
import type { Approval } from "../schemas/approvals.ts";

/** An approval as the management API and the command line show it. */
export function representApproval({ approval, mayDecide }: ShownApproval): Approval {
  const {
    organizationId: _,
    region: __,
    lifetime: ___,
    sessionHash: ____,
    call: _____,
    outcome: ______,
    begunAt: _______,
    isWithdrawn,
    requestedAt,
    expiresAt,
    decidedAt,
    ...shown
  } = approval;
  return {
    ...shown,
    mayDecide,
    ...(isWithdrawn && { withdrawn: true }),
    requestedAt: iso(requestedAt),
    expiresAt: iso(expiresAt),
    ...(decidedAt !== undefined && { decidedAt: iso(decidedAt) }),
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
