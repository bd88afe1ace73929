import { eitherSignal } from "../kernel/abort.ts";
import { whyGivenUp } from "../kernel/cancellation.ts";
import { withoutUrlEscapes } from "../logging/secret-values.ts";
import { mayHaveArrived, type NetworkFailure, networkFailure } from "../net/failure.ts";
import { errorResult } from "../protocol/mcp/tool-result.ts";
import type { BridgeTool } from "./catalog.ts";
import { invalidArgumentsText } from "./problem-sentences.ts";
import type { ReportProgress } from "./progress.ts";
import { buildRequest, type UpstreamRequest } from "./request.ts";
import { RequestError } from "./request-error.ts";
import { BrokenOffError, beforeRepeating, failed, type Invocation } from "./response/invocation.ts";
import { readResponse } from "./response.ts";
import type { SchemaCheck } from "./validation.ts";

export interface BridgeTarget extends Carried {
  readonly baseURL: string;
  /** Milliseconds for the whole exchange, the body included. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
  readonly check: SchemaCheck;
  /** The request of these arguments, where it was made before. */
  readonly prepared?: PreparedRequest;
  /** Aborts when the agent gives up; a reason that is a text is one short word of why, for the record. */
  readonly signal: AbortSignal;
  /** Told of an answer that takes its time. */
  readonly progress?: ReportProgress;
  /** The result is not held against the tool's output schema (D100): its reader was never told of one. */
  readonly lenient?: boolean;
}

/** Calls the operation of a tool. Whatever goes wrong on the way to the API and back is a result that says so. */
export async function invokeOperation(tool: BridgeTool, given: unknown, target: BridgeTarget): Promise<Invocation> {
  const request = target.prepared ?? prepareRequest(tool, given, target);
  if ("problems" in request) return invalidArguments(request.problems);
  // Not `AbortSignal.timeout`, whose timer runs on when the call is over.
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException("The API took too long.", "TimeoutError")),
    target.timeout,
  );
  const either = eitherSignal(deadline.signal, target.signal);
  try {
    return await exchange(tool, request, { target, deadline: deadline.signal, signal: either.signal });
  } finally {
    clearTimeout(timer);
    either.forget();
  }
}

interface Limits {
  readonly target: BridgeTarget;
  readonly deadline: AbortSignal;
  /** Aborts with the deadline, and when the agent gives up. */
  readonly signal: AbortSignal;
}

async function exchange(
  tool: BridgeTool,
  request: UpstreamRequest,
  { target, deadline, signal }: Limits,
): Promise<Invocation> {
  const interruption = () => (target.signal.aborted ? "cancelled" : deadline.aborted ? "timeout" : undefined);
  const { method } = request;
  const response = await send(request, signal, target);
  if ("failure" in response) {
    const given = interruption();
    if (given !== undefined) return unanswered(given, method, target);
    return unanswered(response.failure, method, target, response.network);
  }
  try {
    const { progress, lenient = false } = target;
    return await readResponse({ tool, response, lenient, interruption, ...(progress && { progress }) });
  } catch (cause) {
    if (!(cause instanceof BrokenOffError)) throw cause;
    return unanswered(interruption() ?? "broken_off", method, target);
  }
}

/** No answer began. `cut`: the request may have arrived all the same. */
interface Unanswered {
  readonly failure: "unreachable" | "cut";
  readonly network: NetworkFailure;
}

async function send(
  request: UpstreamRequest,
  signal: AbortSignal,
  target: BridgeTarget,
): Promise<Response | Unanswered> {
  const { url, method, headers, body } = carry(request, target);
  try {
    return await target.fetch(url, {
      method,
      headers,
      // A redirect could lead anywhere; the operator named one API.
      redirect: "manual",
      signal,
      ...(body !== undefined && { body }),
    });
  } catch (cause) {
    return { failure: mayHaveArrived(cause) ? "cut" : "unreachable", network: networkFailure(cause) };
  }
}

/** The request that arguments make, or what is wrong with them. */
export type PreparedRequest = UpstreamRequest | { readonly problems: readonly string[] };

/** Checks the arguments of a call and makes its request of them, without what `Carried` adds. */
export function prepareRequest(
  tool: BridgeTool,
  given: unknown,
  { baseURL, check }: { readonly baseURL: string; readonly check: SchemaCheck },
): PreparedRequest {
  try {
    const all = (given ?? {}) as Readonly<Record<string, unknown>>;
    const problems = check(tool.inputSchema, all);
    return problems.length > 0 ? { problems } : buildRequest(tool.request.baseURL ?? baseURL, tool.request, all);
  } catch (cause) {
    if (cause instanceof RequestError) return { problems: [cause.message] };
    throw cause;
  }
}

function invalidArguments(problems: readonly string[]): Invocation {
  return { result: errorResult(invalidArgumentsText(problems)), outcome: "tool_error", reason: "invalid_arguments" };
}

type Failure = Unanswered["failure"] | "cancelled" | "timeout" | "broken_off";

function unanswered(
  failure: Failure,
  method: string,
  target: BridgeTarget,
  { cause, why }: Partial<NetworkFailure> = {},
): Invocation {
  if (failure === "cancelled") {
    return { result: errorResult("The call was cancelled."), outcome: "cancelled", reason: whyGivenUp(target.signal) };
  }
  const texts = {
    timeout: `The API did not answer within ${target.timeout} ms.`,
    unreachable: `The API could not be reached${why === undefined ? "" : `: ${why}`}.`,
    cut: "The connection to the API broke off before an answer came.",
    broken_off: "The connection broke off in the middle of the API's answer.",
  };
  const advice = failure === "unreachable" ? "" : beforeRepeating(method);
  const reason = failure === "cut" ? "broken_off" : failure;
  return { ...failed(reason, `${texts[failure]}${advice}`), ...(cause !== undefined && { cause }) };
}

/** A request without the names in it. */
type SentRequest = Omit<UpstreamRequest, "query" | "form">;

/** What a request carries beside what the arguments make. */
export interface Carried {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values, unencoded. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly cookies?: readonly (readonly [name: string, value: string])[];
}

/** Adds it to a request. Nothing that the arguments made of the same name stays (checklist 24). */
export function carry(request: SentRequest, { headers, query = [], cookies = [] }: Carried): SentRequest {
  const all = { ...request.headers, ...headers };
  const cookie = cookies.length > 0 && withCookies(all.cookie, cookies);
  return {
    ...request,
    ...(query.length > 0 && { url: withQuery(request.url, query) }),
    headers: { ...all, ...(cookie && { cookie }) },
  };
}

function withQuery(url: string, pairs: NonNullable<Carried["query"]>): string {
  const { href, search } = new URL(url);
  const ours = new Set(pairs.map(([name]) => name));
  // The pairs stay as they are written: reading and writing them again could change them.
  const others = search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !ours.has(nameIn(pair)));
  const mine = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${href.slice(0, href.length - search.length)}?${[...others, ...mine].join("&")}`;
}

function nameIn(pair: string): string {
  const [entry] = new URLSearchParams(pair);
  return entry?.[0] ?? "";
}

function withCookies(header: string | undefined, pairs: NonNullable<Carried["cookies"]>): string {
  const ours = new Set(pairs.map(([name]) => name));
  const others = (header ?? "").split(/; */).filter((pair) => !["", ...ours].includes(cookieName(pair)));
  return [...others, ...pairs.map(([name, value]) => `${name}=${cookieValue(value)}`)].join("; ");
}

/** As servers read it that decode names. Where there is none, some take the value for the name. */
function cookieName(pair: string): string {
  return withoutUrlEscapes(pair.split("=", 1)[0] ?? "");
}

/** RFC 6265 §4.1.1 leaves the spelling of other characters to those who agree on it; most expect this one. */
function cookieValue(value: string): string {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}
