import { sha256base64url } from "#sha256";
import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import { written } from "../audit/record.ts";
import { personOf } from "../connections/person-connections.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { uuid } from "../kernel/ids.ts";
import type { Random } from "../kernel/random.ts";
import { jitterOf } from "../kernel/refreshing-cache.ts";
import type { AccessRequest, TaskAnswer } from "../policy/access-request.ts";
import { upstreamOf } from "../stops/targets.ts";
import type { AuditLog } from "../stores/audit-log.ts";
import {
  type AccessHandle,
  ContendedError,
  changeHandle,
  type HandleChange,
  type HandlePlace,
  type HandlePorts,
  recordName,
} from "./access-handles.ts";
import { contended, type Denied, ended, notYet, tooMany, unavailable, waiting } from "./access-refusals.ts";
import { notMade } from "./audit-call.ts";
import type { DeniedAccess, GrantedAccess, Refusal } from "./decision/step.ts";
import { GatewayError } from "./gateway-error.ts";
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

/** Reasons of refusals that may be otherwise when asked again. */
export const MOMENTARY: ReadonlySet<string> = new Set([
  "access_requested",
  "access_not_granted_yet",
  "access_request_failed",
]);

interface Requesting extends Denied {
  readonly place: AccessPlace;
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
  try {
    return presented === undefined ? await looked(requesting) : await deniedAgain(presented, requesting);
  } catch (cause) {
    if (cause instanceof GatewayError && cause.cause instanceof ContendedError) return contended(requesting);
    throw cause;
  }
}

async function looked(requesting: Requesting): Promise<GrantedAccess | Refusal> {
  const { refusal, access } = requesting;
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
  const nonce = uuid(ports.random);
  const mine: AccessHandle = { key: place.key, state: "submitting", until, nonce, ...textOf(request) };
  const found = await change<AccessHandle | "full">(requesting, (handle, hasRoom) => {
    if (handle !== undefined) return { result: handle };
    return hasRoom ? { result: mine, handle: mine } : { result: "full" };
  });
  if (found === "full") return tooMany(requesting);
  if (found !== mine) return told(found, requesting);
  const answer = await access.requests.submit(request);
  // Kept first: what cannot be recorded would be requested again, as nobody knew of the task.
  const outcome = await settled(answer, mine, requesting);
  const taskId = taskOf(answer);
  if (taskId !== undefined) await recordRequested(taskId, requesting);
  return outcome;
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
  const isKnown = handle.state === "pending";
  const keep = (next: AccessHandle | undefined) =>
    replace(isKnown ? isTask(handle) : isSubmission(handle), next, requesting);
  switch (answer.outcome) {
    case "pending": {
      const { task, expiresAt = isKnown ? handle.until : now + TASK_KEPT, retryAfter } = answer;
      const until = Math.min(expiresAt, now + MOST_KEPT);
      // Nobody could look at it any more.
      if (until < now + FIRST_WAIT)
        return settled({ outcome: "ended", taskId: task.id, status: "expired" }, handle, requesting);
      const { nonce: _, ...known } = handle;
      const next: AccessHandle = {
        ...known,
        state: "pending",
        taskId: task.id,
        url: task.url,
        until,
        ...textOf(answer),
      };
      // What is known already was put off when it was asked for.
      if (retryAfter !== undefined || until !== handle.until) await keep(later(next, now, random, retryAfter));
      return waiting(next, requesting);
    }
    case "approved": {
      const { approval, taskId } = answer;
      const until = Math.min(approval.until, now + MOST_KEPT);
      await keep({ key: handle.key, state: "approved", until, taskId, approval });
      return { ...approval, taskId };
    }
    case "ended": {
      const { taskId, status } = answer;
      // Who was refused is told for a while. What nobody decided on may be asked for anew, but not with every call.
      const lasts = status === "denied" ? REFUSED_KEPT : isKnown ? 0 : FIRST_WAIT;
      await keep(lasts === 0 ? undefined : { key: handle.key, state: "ended", until: now + lasts, taskId, status });
      return ended(taskId, status, requesting);
    }
    case "unavailable": {
      const { failure, retryAfter = 0 } = answer;
      // A service that takes no request is left alone for a while.
      const wait = Math.max(FIRST_WAIT, Math.min(retryAfter, REFUSED_KEPT));
      if (!isKnown) await keep({ key: handle.key, state: "ended", until: now + wait, status: "unavailable" });
      else if (retryAfter > 0) await keep(later(handle, now, random, retryAfter));
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
  // Another instance may have put a newer one in its place.
  const isPresented = isApproval(text);
  if (next === "retry") {
    const handle = await change<AccessHandle | undefined>(requesting, (found) => {
      if (found === undefined || !isPresented(found)) return { result: undefined };
      const atLeast = Math.min(retryAfter ?? 0, MOST_KEPT);
      const put = later(found, now, ports.random, atLeast);
      return { result: put, handle: put };
    });
    return handle === undefined ? refusal : notYet(handle, requesting);
  }
  if (next === "none" || request === undefined) {
    const kept = Math.max(now + FIRST_WAIT, Math.min(until, now + REFUSED_KEPT));
    await replace(isPresented, { key: place.key, state: "ended", until: kept, taskId, status: "unusable" }, requesting);
    return { ...refusal, details: { ...refusal.details, taskId } };
  }
  const { polls = 0 } = (await replace(isPresented, undefined, requesting)) ?? {};
  const outcome = await submitted(request, requesting);
  if (isRefusal(outcome)) return outcome;
  // One round a call, and after a while: a service that approves at once what the decision point does not take is asked less and less.
  const put = later(
    { key: place.key, state: "approved", until: outcome.until, taskId: outcome.taskId, polls },
    ports.clock.now(),
    ports.random,
  );
  const { retryAt = 0 } = put;
  const isNew = isApproval(outcome.text);
  await change(requesting, (found) => {
    if (found === undefined || !isNew(found)) return { result: undefined };
    // One that ends before stands for the wait alone.
    const over: AccessHandle = {
      key: place.key,
      state: "ended",
      until: retryAt,
      taskId: outcome.taskId,
      status: "expired",
    };
    return { result: undefined, handle: found.until > retryAt ? { ...found, polls: polls + 1, retryAt } : over };
  });
  return notYet(put, requesting);
}

/** Whether a handle is the one that an answer is about: a late answer says nothing of those that came after it. */
type IsAbout = (found: AccessHandle | undefined) => boolean;

/** Also where it was forgotten meanwhile. */
function isSubmission({ nonce }: AccessHandle): IsAbout {
  return (found) => found === undefined || found.nonce === nonce;
}

function isTask({ taskId }: AccessHandle): IsAbout {
  return (found) => found?.state === "pending" && found.taskId === taskId;
}

function isApproval(text: string): IsAbout {
  return (found) => found?.approval?.text === text;
}

/**
 * @param handle undefined: it is dropped
 * @returns what was there, where it was the one
 */
function replace(
  isAbout: IsAbout,
  handle: AccessHandle | undefined,
  requesting: Requesting,
): Promise<AccessHandle | undefined> {
  return change(requesting, (found) => (isAbout(found) ? { result: found, handle } : { result: undefined }));
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
