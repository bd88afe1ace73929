import type { Clock } from "../kernel/clock.ts";
import type { AccessHandle } from "./access-handles.ts";
import type { DeniedAccess, Refusal } from "./decision/step.ts";
import type { ToolCall } from "./tool-call.ts";

/** What the agent is told of a call whose access is requested, and what is recorded of it. */

/** A call whose denial may be changed at the decision point's service. */
export interface Denied {
  readonly refusal: Refusal;
  readonly access: DeniedAccess;
  readonly call: ToolCall;
  readonly target: { readonly app: string; readonly tool: string };
  readonly ports: { readonly clock: Clock };
}

const SECOND = 1_000;

export const ENDS_TOO_SOON: Refusal = {
  outcome: "refuse",
  code: "denied_by_policy",
  message: "The call was not made: its approval ends before the token would that the call carries.",
  reason: "access_ends",
  why: "the approval ends before the token would that the call carries",
};

/** The same, of the approval itself. */
export const ENDED: Refusal = {
  outcome: "refuse",
  code: "denied_by_policy",
  message:
    "The call was not made: the approval that it rests on has ended. Call again with the same arguments to have it decided anew.",
  reason: "access_ends",
  why: "the approval has ended",
};

export function waiting({ taskId, text }: Pick<AccessHandle, "taskId" | "text">, denied: Denied): Refusal {
  const said = text ?? denied.access.denial.request?.text;
  const quoted = said === undefined ? "" : ` It says: "${said}".`;
  return refusalOf("access_requested", "access_requested", denied, { ...(taskId !== undefined && { taskId }) }, [
    `Waits for approval at the service of the decision point.${quoted}`,
    "The call was not made; call again with the same arguments after that.",
  ]);
}

export function notYet({ taskId = "", retryAt = 0 }: AccessHandle, denied: Denied): Refusal {
  const seconds = Math.max(1, Math.ceil((retryAt - denied.ports.clock.now()) / SECOND));
  return refusalOf("access_requested", "access_not_granted_yet", denied, { taskId }, [
    "Access is approved, but not granted yet.",
    `The call was not made; call again with the same arguments in ${seconds} s.`,
  ]);
}

/** Statuses that are no task's: the service took no request, and the decision point did not take the approval. */
export function ended(taskId: string | undefined, status: string, denied: Denied): Refusal {
  if (status === "unavailable") return unavailable("busy", taskId, denied);
  const details = { status, ...(taskId !== undefined && { taskId }) };
  if (status === "unusable") return { ...denied.refusal, details: { ...denied.refusal.details, ...details } };
  const isRefused = status === "denied";
  const advice = isRefused ? "Do not make it again." : "Call again with the same arguments to request access anew.";
  const what = isRefused
    ? "the service of the decision point refused access"
    : `the request for access ended: ${status}`;
  return refusalOf("approval_refused", "access_refused", denied, details, [`The call was not made: ${what}.`, advice]);
}

/** Nothing is known, and nothing is allowed (Availability). */
export function unavailable(error: string, taskId: string | undefined, denied: Denied): Refusal {
  const { call, target, access } = denied;
  const { app } = target;
  call.request.logger.warn("access could not be requested", { app, policy: access.policy.name, failure: error });
  return refusalOf(
    "denied_by_policy",
    "access_request_failed",
    denied,
    { error, ...(taskId !== undefined && { taskId }) },
    [
      "A policy does not allow this call, and the service that access is requested from gives no answer.",
      "Call again with the same arguments later.",
    ],
  );
}

export function tooMany(denied: Denied): Refusal {
  return refusalOf("too_many_approvals", "too_many_approvals", denied, {}, [
    "The call was not made: it needs an approval, and as many calls of yours as may wait for one do already.",
    "Try again when they are decided on.",
  ]);
}

/** Whatever became of it: what the service has already is followed by later calls where it could be kept. */
export function contended(denied: Denied): Refusal {
  return refusalOf("denied_by_policy", "access_request_failed", denied, { error: "conflict" }, [
    "The call was not made: too many calls of yours that need an approval come at the same time.",
    "Call again with the same arguments later.",
  ]);
}

function refusalOf(
  code: Refusal["code"],
  reason: string,
  { access }: Denied,
  details: Readonly<Record<string, string>>,
  sentences: readonly string[],
): Refusal {
  const message = sentences.join(" ");
  return {
    outcome: "refuse",
    code,
    message,
    reason,
    details: { policy: access.policy.name, ...details },
    why: message,
  };
}
