import type { Approval } from "../../../lib/management/schemas/approvals.ts";
import type { StatusTone } from "../../parts/status-badge.tsx";

export type ApprovalState = Approval["state"];

interface StateWords {
  readonly tone: StatusTone;
  readonly label: string;
  /** What happens next. */
  readonly next: string;
}

/** In the order in which people look for them. */
export const STATES: Readonly<Record<ApprovalState, StateWords>> = {
  pending: {
    tone: "warn",
    label: "Waits",
    next: "Nothing is called until somebody approves it.",
  },
  approved: {
    tone: "good",
    label: "Approved",
    next: "The agent makes the call with its next request, once. Nothing was called yet.",
  },
  refused: {
    tone: "bad",
    label: "Refused",
    next: "The agent is told so with its next request. Nothing is called.",
  },
  expired: {
    tone: "neutral",
    label: "Expired",
    next: "Nobody decided in time, or the agent did not call in time or gave up. If it calls again, that call waits for another approval.",
  },
  consumed: {
    tone: "accent",
    label: "Used",
    next: "The agent has made the call. The audit log says what came of it.",
  },
};

export const STATE_ORDER = Object.keys(STATES) as readonly ApprovalState[];
