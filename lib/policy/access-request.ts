import { sha256base64url } from "#sha256";
import { utf8 } from "../kernel/encoding.ts";
import { isJsonObject, type JsonObject, jsonTextExceeds } from "../kernel/json.ts";
import { withoutUnseen } from "../kernel/plain-name.ts";
import { fetchJson, type JsonResponse } from "../protocol/http/fetch-json.ts";

/**
 * The PEP's side of the AuthZEN Access Request and Approval Profile, draft 1: what a denial offers, the submission of a request, and the
 * status of its task. Section names are those of the draft.
 */

/** A request that a denial offers, ready to be submitted. */
export interface AccessRequest {
  readonly endpoint: string;
  readonly body: JsonObject;
  /** What the decision point would have people read; absent: nothing. */
  readonly text?: string;
}

/** What a policy with access requests says besides "no" (Completion Semantics, `next_action`). */
export interface AccessDenial {
  readonly next: "request" | "retry" | "none";
  /** Present where `next` is `request`. */
  readonly request?: AccessRequest;
  /** Milliseconds, of `retry`. */
  readonly retryAfter?: number;
}

/** The handle of a task (Access Request Response). It says something to the service alone. */
export interface AccessTask {
  readonly id: string;
  readonly url: string;
}

/** What the service says of a task. Times in milliseconds. */
export type TaskAnswer =
  | {
      readonly outcome: "pending";
      readonly task: AccessTask;
      /** When the handle ends; absent: it does not say. */
      readonly expiresAt?: number;
      readonly retryAfter?: number;
      readonly text?: string;
    }
  | { readonly outcome: "approved"; readonly taskId: string; readonly approval: AccessApproval }
  /** It is over without an approval. `status` is one of the draft, or `unknown` where the service has no such task any more. */
  | { readonly outcome: "ended"; readonly taskId: string; readonly status: string }
  /** Nobody knows; `failure` is a short code for logs and records. */
  | { readonly outcome: "unavailable"; readonly failure: string; readonly retryAfter?: number };

/** An approval as it goes back to the decision point. */
export interface AccessApproval {
  /** JSON text, with every number as it was written: the value goes back unchanged (Completion Semantics, `state`). */
  readonly text: string;
  /** Milliseconds since the epoch: it is not presented after that. */
  readonly until: number;
}

/** What a policy whose denials can be requested offers beside its decisions. Neither rejects. */
export interface AccessRequests {
  /** The decision point. */
  readonly pdp: string;
  /** It is told of arguments: other ones are another request. */
  readonly seesArguments: boolean;
  /** Milliseconds that a submission takes at most. */
  readonly longest: number;
  readonly submit: (request: AccessRequest) => Promise<TaskAnswer>;
  readonly status: (task: AccessTask) => Promise<TaskAnswer>;
}

/** Where requests may go. */
export interface AccessEndpoints {
  /** Of the metadata; absent: they name none. */
  readonly accessRequest?: string | undefined;
}

/** Of clocks of two hosts (Time and Clock Skew). */
const SKEW = 30_000;
/** Characters; of an approval bytes. What is kept of all requests of a caller is one value of the store. */
const LONGEST = { text: 300, id: 256, url: 1_024, approval: 4_096 };
const DEEPEST = 50;

/**
 * What a denial says of access requests.
 *
 * @param asked the evaluation's request, which is what the access is requested for
 * @param isReevaluation an approval was presented
 */
export function accessDenial(
  context: unknown,
  asked: JsonObject,
  isReevaluation: boolean,
  trusted: (url: unknown) => string | undefined,
  endpoints: AccessEndpoints,
  now: number,
): AccessDenial {
  const said = isJsonObject(context) ? context : {};
  const request = requestOf(said, asked, trusted, endpoints, now);
  const next = isReevaluation ? nextAction(said) : "request";
  if (next === "request") return request === undefined ? { next: "none" } : { next, request };
  const after = said.retry_after;
  const isAfter = next === "retry" && typeof after === "number" && after >= 0;
  return { next, ...(isAfter && { retryAfter: after * 1_000 }) };
}

/** Names of the registry, with what they mean where `next_action` is missing or unknown. */
const NEXT_BY_REASON: Readonly<Record<string, AccessDenial["next"]>> = {
  approval_expired: "request",
  out_of_scope: "request",
  grant_pending: "retry",
  policy_denied: "none",
  approval_unverifiable: "none",
};

function nextAction({ next_action: action, reason }: JsonObject): AccessDenial["next"] {
  if (action === "request" || action === "retry" || action === "none") return action;
  const known = typeof reason === "string" && Object.hasOwn(NEXT_BY_REASON, reason);
  return (known ? NEXT_BY_REASON[reason] : undefined) ?? "request";
}

/**
 * The submission (Requestable Denial Context, Access Request Submission); undefined where the denial is not requestable, or not by this
 * PEP: values that a schema asks for it does not have, and a host that nobody named it does not trust.
 */
function requestOf(
  { access_request: offered, evaluation_id, evaluated_at, reason }: JsonObject,
  asked: JsonObject,
  trusted: (url: unknown) => string | undefined,
  { accessRequest }: AccessEndpoints,
  now: number,
): AccessRequest | undefined {
  if (!isJsonObject(offered)) return undefined;
  const { endpoint: named = accessRequest, expires_at, binding_token, template, display } = offered;
  const endpoint = trusted(named);
  const expiresAt = timeOf(expires_at);
  const texts = { evaluation_id, evaluated_at, expires_at, reason, binding_token, template };
  const denial = Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string"));
  const isBound = "evaluation_id" in denial || "binding_token" in denial;
  if (endpoint === undefined || expiresAt === undefined || expiresAt + SKEW <= now || !isBound) return undefined;
  if (offered.request_schema_url !== undefined || offered.request_catalogs_url !== undefined) return undefined;
  return { endpoint, body: { ...asked, denial }, ...textOf(display) };
}

/** Each exchange with the service. */
export interface AccessExchange {
  readonly fetch: typeof globalThis.fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly now: () => number;
  readonly trusted: (url: unknown) => string | undefined;
}

export async function submitRequest({ endpoint, body }: AccessRequest, exchange: AccessExchange): Promise<TaskAnswer> {
  const text = JSON.stringify(body);
  // The whole body is meant by the key: it is a digest of it, and a structured field's string (Idempotency-Key Header Field §2.1).
  const headers = { "content-type": "application/json", "idempotency-key": `"${sha256base64url(text)}"` };
  const answer = await asked(endpoint, { method: "POST", body: text, headers }, exchange);
  if ("outcome" in answer) return answer;
  return answer.status === 201 || answer.status === 202
    ? taskAnswer(answer, undefined, exchange)
    : unavailable(answer, exchange);
}

export async function taskStatus(task: AccessTask, exchange: AccessExchange): Promise<TaskAnswer> {
  const url = exchange.trusted(task.url);
  if (url === undefined) return { outcome: "unavailable", failure: "untrusted_host" };
  const answer = await asked(url, { headers: {} }, exchange);
  if ("outcome" in answer) return answer;
  // `unknown_task`, `task_expired`.
  if (answer.status === 404 || answer.status === 410) return { outcome: "ended", taskId: task.id, status: "unknown" };
  return answer.status === 200 ? taskAnswer(answer, task, exchange) : unavailable(answer, exchange);
}

async function asked(
  url: string,
  { headers, ...request }: { readonly method?: string; readonly body?: string; readonly headers: object },
  { fetch, timeout, headers: own }: AccessExchange,
): Promise<JsonResponse | Extract<TaskAnswer, { readonly outcome: "unavailable" }>> {
  try {
    return await fetchJson(fetch, url, { ...request, headers: { ...own, ...headers }, timeout, parse: exactObject });
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    return { outcome: "unavailable", failure: isLate ? "timeout" : "unreachable" };
  }
}

function unavailable({ status, headers }: JsonResponse, { now }: AccessExchange): TaskAnswer {
  return { outcome: "unavailable", failure: `status_${status}`, ...retryAfterOf(headers, now()) };
}

const MALFORMED: TaskAnswer = { outcome: "unavailable", failure: "malformed_answer" };
/** Of a task of one request; `partial` is of several (Task Status Values). */
const ENDS: ReadonlySet<unknown> = new Set(["denied", "expired", "cancelled", "failed", "partial"]);

/** @param known the task that was asked for; undefined: it is new */
function taskAnswer(
  { body, headers }: JsonResponse,
  known: AccessTask | undefined,
  exchange: AccessExchange,
): TaskAnswer {
  const task = body?.task;
  if (!isJsonObject(task) || !isIdentifier(task.id) || typeof task.status !== "string") return MALFORMED;
  // One request was made: what is said of several is not about it.
  if ((known !== undefined && known.id !== task.id) || task.items !== undefined) return MALFORMED;
  const url = known?.url ?? exchange.trusted(task.status_endpoint);
  if (url === undefined || url.length > LONGEST.url) return { outcome: "unavailable", failure: "untrusted_host" };
  if (ENDS.has(task.status)) return { outcome: "ended", taskId: task.id, status: task.status };
  if (task.status === "approved") return approvedAnswer(task.id, body?.result, exchange.now());
  // Also a status that the draft does not know: it is no approval (Task Status Values).
  const expiresAt = timeOf(task.expires_at);
  return {
    outcome: "pending",
    task: { id: task.id, url },
    ...(expiresAt !== undefined && { expiresAt }),
    ...retryAfterOf(headers, exchange.now()),
    ...textOf(task.display),
  };
}

/** Only one mode is known: what has another is no approval (Completion Semantics). */
function approvedAnswer(taskId: string, result: unknown, now: number): TaskAnswer {
  const approval = isJsonObject(result) && result.mode === "reevaluate" ? result.approval : undefined;
  if (!isJsonObject(approval) || !isIdentifier(approval.id)) return MALFORMED;
  const until = timeOf(approval.approved_until);
  const text = JSON.stringify(approval);
  if (until === undefined || utf8(text).length > LONGEST.approval) return MALFORMED;
  return until <= now
    ? { outcome: "ended", taskId, status: "expired" }
    : { outcome: "approved", taskId, approval: { text, until } };
}

/** The question with the approval, or with none: an approval of whoever wrote the mapping is none. */
export function presenting(asked: JsonObject, approval: AccessApproval | undefined): JsonObject {
  const { evaluations } = asked;
  const entries = Array.isArray(evaluations) && { evaluations: evaluations.map((one) => withApproval(one, undefined)) };
  return { ...withApproval(asked, approval), ...entries };
}

function withApproval(asked: JsonObject, approval: AccessApproval | undefined): JsonObject {
  const { approval: _, ...context } = isJsonObject(asked.context) ? asked.context : {};
  const presented = approval && { approval: exactJson(approval.text) };
  return asked.context === undefined ? { ...asked } : { ...asked, context: { ...context, ...presented } };
}

/** Until when access may go on: the earlier of what the approval and the decision say (Completion Semantics). */
export function accessUntil(context: unknown, { until }: AccessApproval): number {
  const said = isJsonObject(context) && isJsonObject(context.approval) ? context.approval.approved_until : undefined;
  return Math.min(until, timeOf(said) ?? until);
}

function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST.id && withoutUnseen(value) === value;
}

/** Title and description, for the agent. */
function textOf(display: unknown): { readonly text?: string } {
  const { title, description } = isJsonObject(display) ? display : {};
  const texts = [title, description].flatMap((text) => {
    const shown = typeof text === "string" ? withoutUnseen(text.slice(0, LONGEST.text)).trim() : "";
    return shown === "" ? [] : [shown];
  });
  return texts.length === 0 ? {} : { text: texts.join(": ") };
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** RFC 3339 §5.6; undefined: it is none. */
function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" && DATE_TIME.test(value) ? Date.parse(value.toUpperCase()) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Seconds or a date (RFC 9110 §10.2.3). */
function retryAfterOf(headers: Headers, now: number): { readonly retryAfter?: number } {
  const text = headers.get("retry-after") ?? "";
  if (/^\d{1,9}$/.test(text)) return { retryAfter: Number(text) * 1_000 };
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? {} : { retryAfter: Math.max(0, date - now) };
}

function exactObject(bytes: Uint8Array): JsonObject | undefined {
  if (jsonTextExceeds(bytes, { depth: DEEPEST })) return undefined;
  try {
    const value = exactJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** ECMAScript 2026, JSON.parse source text access; the compiler's library has no types of it. */
const ExactJSON = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
};

/** Numbers that would be written otherwise stay as they were written. */
function exactJson(text: string): unknown {
  return ExactJSON.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? ExactJSON.rawJSON(source) : value,
  );
}
