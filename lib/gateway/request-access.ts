import { sha256base64url } from "#sha256";
import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import { written } from "../audit/record.ts";
import { personOf } from "../connections/person-connections.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import type { Random } from "../kernel/random.ts";
import { jitterOf } from "../kernel/refreshing-cache.ts";
import type { AccessRequest, TaskAnswer } from "../policy/access-request.ts";
import { upstreamOf } from "../stops/targets.ts";
import type { AuditLog } from "../stores/audit-log.ts";
import {
  type AccessHandle,
  changeHandle,
  type HandleChange,
  type HandlePlace,
  type HandlePorts,
  recordName,
} from "./access-handles.ts";
import { notMade } from "./audit-call.ts";
import type { DeniedAccess, GrantedAccess, Refusal } from "./decision/step.ts";
import type { OrganizationOf } from "./organization.ts";
import type { ToolCall } from "./tool-call.ts";
import type { CallableTool } from "./tool-index.ts";

export interface AccessPorts extends HandlePorts, AuditEventPorts {
  readonly organizationOf: OrganizationOf;
  readonly stores: HandlePorts["stores"] & { readonly auditLog: Pick<AuditLog, "append"> };
  readonly ownIssuer?: string | undefined;
}

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
/** Milliseconds. A task that does not say when it ends is followed for a day; nothing is followed, or kept, for longer than a month. */
const [TASK_KEPT, MOST_KEPT] = [DAY, 30 * DAY];
/** How long repeated calls hear of a refusal. */
const REFUSED_KEPT = 3_600 * SECOND;
/** From one question to the next (Task Status Endpoint). */
const [FIRST_WAIT, LONGEST_WAIT] = [4 * SECOND, 60 * SECOND];
/** Beside the exchanges with the service. */
const STORE_TIME = 10 * SECOND;

/** A call whose denial may be changed at the decision point's service. */
interface Requesting {
  readonly refusal: Refusal;
  readonly access: DeniedAccess;
  readonly place: AccessPlace;
  readonly call: ToolCall;
  readonly target: { readonly app: string; readonly tool: string };
  readonly ports: AccessPorts;
}

interface AccessPlace extends HandlePlace {
  readonly organizationId: string | undefined;
  /** As `personOf` names them. */
  readonly person: string | undefined;
}

/**
 * What becomes of a call that a decision point denied: access is requested at its service where the denial offers that, and what became of
 * an earlier request is looked at. An approval is presented to the decision point, which decides anew: nothing here allows a call.
 *
 * @param presented the approval with which it was denied
 * @throws GatewayError `not_recorded` where nothing can be kept
 */
export async function requestAccess(
  refusal: Refusal & { readonly access: DeniedAccess },
  presented: GrantedAccess | undefined,
  located: CallableTool,
  call: ToolCall,
  ports: AccessPorts,
): Promise<GrantedAccess | Refusal> {
  const { access } = refusal;
  const place = await placeOf(access, located, call, ports);
  const target = { app: located.app.name, tool: located.tool.localName };
  const requesting = { refusal, access, place, call, target, ports };
  if (presented !== undefined) return deniedAgain(presented, requesting);
  const { request } = access.denial;
  const turn = await claimed(requesting);
  if (turn.act === "none") return request === undefined ? refusal : submitted(request, requesting);
  // Without an offer only what is approved already counts: the denial is final (Requestable Denial Context).
  const outcome = turn.act === "tell" ? told(turn.handle, requesting) : await polled(turn.handle, requesting);
  return request === undefined && isRefusal(outcome) ? refusal : outcome;
}

export function isRefusal(outcome: GrantedAccess | Refusal): outcome is Refusal {
  return "outcome" in outcome;
}

/** The approval ends before a token would that the call carries (Completion Semantics). */
export function endsTooSoon({ terms }: CallableTool, until: number | undefined, { clock }: AccessPorts): boolean {
  return until !== undefined && terms !== undefined && clock.now() + terms.ttl > until;
}

export const ENDS_TOO_SOON: Refusal = {
  outcome: "refuse",
  code: "denied_by_policy",
  message: "The call was not made: its approval ends before the token would that the call carries.",
  reason: "access_ends",
  why: "the approval ends before the token would that the call carries",
};

/**
 * Whose request it is, and what for. Arguments that the decision point is not told of change nothing: whoever approves sees the same.
 */
async function placeOf(
  { policy, requests }: DeniedAccess,
  located: CallableTool,
  call: ToolCall,
  { organizationOf, ownIssuer }: AccessPorts,
): Promise<AccessPlace> {
  const { app, tool, pin } = located;
  const { identity } = call;
  const organizationId = await kept(call, () => organizationOf(app));
  const person = identity && personOf(identity, ownIssuer);
  const caller = [organizationId, identity?.issuer, person, identity?.agent.clientID].map((part) => part ?? null);
  const what = [app.name, tool.localName, upstreamOf(app) ?? null, app.pins && pin ? pin().digest : null];
  const given = requests.seesArguments ? [located.argumentsOf(call) ?? {}] : [];
  const key = sha256base64url(canonicalJson([caller, what, policy.name, requests.pdp, given]));
  return { record: recordName(canonicalJson(caller)), key, organizationId, person };
}

type Turn =
  | { readonly act: "none" }
  | { readonly act: "tell"; readonly handle: AccessHandle }
  /** The service is asked by this call alone. */
  | { readonly act: "poll"; readonly handle: AccessHandle };

function claimed(requesting: Requesting): Promise<Turn> {
  const { clock, random } = requesting.ports;
  return change<Turn>(requesting, (handle) => {
    if (handle === undefined) return { result: { act: "none" } };
    const isDue = handle.state === "pending" && (handle.retryAt ?? 0) <= clock.now();
    if (!isDue) return { result: { act: "tell", handle } };
    return { result: { act: "poll", handle }, handle: later(handle, clock.now(), random) };
  });
}

/** Not to be asked again for a while, which grows (Task Status Endpoint). */
function later(handle: AccessHandle, now: number, random: Random, atLeast = 0): AccessHandle {
  const { polls = 0 } = handle;
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(polls, 10)) * (0.75 + jitterOf(random) / 4);
  return { ...handle, polls: polls + 1, retryAt: now + Math.max(atLeast, Math.ceil(wait)) };
}

function told(handle: AccessHandle, requesting: Requesting): GrantedAccess | Refusal {
  const { state, approval, taskId = "", retryAt = 0, status = "" } = handle;
  if (state === "ended") return ended(handle.taskId, status, requesting);
  if (state !== "approved" || approval === undefined) return waiting(handle, requesting);
  return retryAt > requesting.ports.clock.now() ? notYet(handle, requesting) : { ...approval, taskId };
}

async function polled(handle: AccessHandle, requesting: Requesting): Promise<GrantedAccess | Refusal> {
  const { taskId: id = "", url = "" } = handle;
  const answer = await requesting.access.requests.status({ id, url });
  return settled(answer, handle, requesting);
}

/** Of any number of equal calls one hands the request over; the others hear that it is under way. */
async function submitted(request: AccessRequest, requesting: Requesting): Promise<GrantedAccess | Refusal> {
  const { ports, access, place } = requesting;
  const until = ports.clock.now() + access.requests.longest + STORE_TIME;
  const mine: AccessHandle = { key: place.key, state: "submitting", until, ...textOf(request) };
  const found = await change<AccessHandle | "full">(requesting, (handle, hasRoom) => {
    if (handle !== undefined) return { result: handle };
    return hasRoom ? { result: mine, handle: mine } : { result: "full" };
  });
  if (found === "full") return tooMany(requesting);
  if (found !== mine) return told(found, requesting);
  const answer = await access.requests.submit(request);
  const taskId = taskOf(answer);
  if (taskId !== undefined) await recordRequested(taskId, requesting);
  return settled(answer, mine, requesting);
}

function taskOf(answer: TaskAnswer): string | undefined {
  if (answer.outcome === "unavailable") return undefined;
  return answer.outcome === "pending" ? answer.task.id : answer.taskId;
}

/** The same event as of an approval here: the task stands for the approval. */
async function recordRequested(taskId: string, { place, access, call, target, ports }: Requesting): Promise<void> {
  const { organizationId, person } = place;
  const { identity, request } = call;
  const actor = identity?.agent.clientID ?? identity?.user?.sub;
  const event = auditEvent(ports, {
    ...{ type: "approval.requested", outcome: "success", requestId: request.requestId, ...target },
    ...(organizationId !== undefined && { organizationId }),
    ...(actor !== undefined && { actor }),
    ...(identity !== undefined && { agent: identity.agent.clientID }),
    ...(person !== undefined && { user: person }),
    details: { policy: access.policy.name, taskId },
  });
  await kept(call, () => ports.stores.auditLog.append(event));
}

/** Keeps what the service said of a task, and says what comes of it. */
async function settled(
  answer: TaskAnswer,
  handle: AccessHandle,
  requesting: Requesting,
): Promise<GrantedAccess | Refusal> {
  const now = requesting.ports.clock.now();
  const { random } = requesting.ports;
  switch (answer.outcome) {
    case "pending": {
      const isKnown = handle.state === "pending";
      const { task, expiresAt = isKnown ? handle.until : now + TASK_KEPT, retryAfter } = answer;
      const until = Math.min(expiresAt, now + MOST_KEPT);
      const next: AccessHandle = {
        ...handle,
        state: "pending",
        taskId: task.id,
        url: task.url,
        until,
        ...textOf(answer),
      };
      // What is known already was put off when it was asked for.
      if (retryAfter !== undefined || until !== handle.until)
        await keep(later(next, now, random, retryAfter), requesting);
      return waiting(next, requesting);
    }
    case "approved": {
      const { approval, taskId } = answer;
      const until = Math.min(approval.until, now + MOST_KEPT);
      await keep({ key: handle.key, state: "approved", until, taskId, approval }, requesting);
      return { ...approval, taskId };
    }
    case "ended": {
      const { taskId, status } = answer;
      // Who was refused is told for a while; what nobody decided on may be asked for anew.
      const isRefused = status === "denied";
      const { key } = handle;
      await keep(
        isRefused ? { key, state: "ended", until: now + REFUSED_KEPT, taskId, status } : undefined,
        requesting,
      );
      return ended(taskId, status, requesting);
    }
    case "unavailable": {
      const { failure, retryAfter = 0 } = answer;
      const isKnown = handle.state === "pending";
      // A service that takes no request is left alone for a while.
      const wait = Math.max(FIRST_WAIT, Math.min(retryAfter, REFUSED_KEPT));
      if (!isKnown)
        await keep({ key: handle.key, state: "ended", until: now + wait, status: "unavailable" }, requesting);
      else if (retryAfter > 0) await keep(later(handle, now, random, retryAfter), requesting);
      return unavailable(failure, handle.taskId, requesting);
    }
  }
}

/** The decision point was presented an approval (Completion Semantics, `next_action`). */
async function deniedAgain(presented: GrantedAccess, requesting: Requesting): Promise<Refusal> {
  const { access, ports, place, refusal } = requesting;
  const { next, request, retryAfter } = access.denial;
  const { taskId, until, text } = presented;
  const now = ports.clock.now();
  if (next === "retry") {
    const handle = await change<AccessHandle | undefined>(requesting, (found) => {
      if (found?.state !== "approved") return { result: undefined };
      const atLeast = Math.min(retryAfter ?? 0, MOST_KEPT);
      const put = later(found, now, ports.random, atLeast);
      return { result: put, handle: put };
    });
    return handle === undefined ? refusal : notYet(handle, requesting);
  }
  if (next === "none" || request === undefined) {
    const kept = Math.min(until, now + REFUSED_KEPT);
    await keep({ key: place.key, state: "ended", until: kept, taskId, status: "unusable" }, requesting);
    return { ...refusal, details: { ...refusal.details, taskId } };
  }
  // Another instance may have put a newer one in its place.
  await change(requesting, (found) =>
    found?.approval?.text === text ? { result: undefined, handle: undefined } : { result: undefined },
  );
  const outcome = await submitted(request, requesting);
  // One round a call: what is approved at once counts for the next one.
  return isRefusal(outcome) ? outcome : waiting({ taskId: outcome.taskId }, requesting);
}

/** @param handle undefined: it is dropped */
function keep(handle: AccessHandle | undefined, requesting: Requesting): Promise<void> {
  return change(requesting, () => ({ result: undefined, handle }));
}

function change<Result>(
  { place, ports, call }: Requesting,
  by: (handle: AccessHandle | undefined, hasRoom: boolean) => HandleChange<Result>,
): Promise<Result> {
  return kept(call, () => changeHandle(place, ports, by));
}

function kept<T>({ request }: ToolCall, act: () => Promise<T>): Promise<T> {
  return notMade(() => written(request, act));
}

function textOf({ text }: { readonly text?: string }): { readonly text?: string } {
  return text === undefined ? {} : { text };
}

function waiting({ taskId, text }: Pick<AccessHandle, "taskId" | "text">, requesting: Requesting): Refusal {
  const said = text ?? requesting.access.denial.request?.text;
  const quoted = said === undefined ? "" : ` It says: "${said}".`;
  return refusalOf("access_requested", "access_requested", requesting, { ...(taskId !== undefined && { taskId }) }, [
    `Waits for approval at the service of the decision point.${quoted}`,
    "The call was not made; call again with the same arguments after that.",
  ]);
}

function notYet({ taskId = "", retryAt = 0 }: AccessHandle, requesting: Requesting): Refusal {
  const seconds = Math.max(1, Math.ceil((retryAt - requesting.ports.clock.now()) / SECOND));
  return refusalOf("access_requested", "access_not_granted_yet", requesting, { taskId }, [
    "Access is approved, but not granted yet.",
    `The call was not made; call again with the same arguments in ${seconds} s.`,
  ]);
}

/** Statuses of `settled`'s own: the service took no request, and the decision point did not take the approval. */
function ended(taskId: string | undefined, status: string, requesting: Requesting): Refusal {
  if (status === "unavailable") return unavailable("busy", taskId, requesting);
  const details = { status, ...(taskId !== undefined && { taskId }) };
  if (status === "unusable") return { ...requesting.refusal, details: { ...requesting.refusal.details, ...details } };
  const isRefused = status === "denied";
  const advice = isRefused ? "Do not make it again." : "Call again with the same arguments to request access anew.";
  const what = isRefused
    ? "the service of the decision point refused access"
    : `the request for access ended: ${status}`;
  return refusalOf("approval_refused", "access_refused", requesting, details, [
    `The call was not made: ${what}.`,
    advice,
  ]);
}

/** Nothing is known, and nothing is allowed (Availability). */
function unavailable(error: string, taskId: string | undefined, requesting: Requesting): Refusal {
  const { call, target, access } = requesting;
  const { app } = target;
  call.request.logger.warn("access could not be requested", { app, policy: access.policy.name, failure: error });
  return refusalOf(
    "denied_by_policy",
    "access_request_failed",
    requesting,
    { error, ...(taskId !== undefined && { taskId }) },
    [
      "A policy does not allow this call, and the service that access is requested from gives no answer.",
      "Call again with the same arguments later.",
    ],
  );
}

function tooMany(requesting: Requesting): Refusal {
  return refusalOf("too_many_approvals", "too_many_approvals", requesting, {}, [
    "The call was not made: it needs an approval, and as many calls of yours as may wait for one do already.",
    "Try again when they are decided on.",
  ]);
}

function refusalOf(
  code: Refusal["code"],
  reason: string,
  { access }: Requesting,
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
