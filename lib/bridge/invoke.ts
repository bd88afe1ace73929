import { whyGivenUp } from "../given-up.ts";
import { mayHaveArrived, type NetworkFailure, networkFailure } from "../net/failure.ts";
import { type Carried, carry } from "./carry.ts";
import type { BridgeTool } from "./catalog.ts";
import { invalidArgumentsText } from "./problem-sentences.ts";
import type { ReportProgress } from "./progress.ts";
import { buildRequest, type UpstreamRequest } from "./request.ts";
import { RequestError } from "./request-error.ts";
import { beforeRepeating } from "./response/before-repeating.ts";
import { failed, type Invocation } from "./response/invocation.ts";
import { BrokenOffError } from "./response/reading.ts";
import { readResponse } from "./response.ts";
import { errorResult } from "./tool-result.ts";
import type { SchemaCheck } from "./validation.ts";

export interface BridgeTarget extends Carried {
  readonly baseURL: string;
  /** Milliseconds for the whole exchange, the body included. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
  readonly check: SchemaCheck;
  /** Aborts when the agent gives up; a reason that is a text is one short word of why, for the record. */
  readonly signal: AbortSignal;
  /** Told of an answer that takes its time. */
  readonly progress?: ReportProgress;
  /** The result is not held against the tool's output schema (D100): its reader was never told of one. */
  readonly lenient?: boolean;
}

/** Calls the operation of a tool. Whatever goes wrong on the way to the API and back is a result that says so. */
export async function invokeOperation(tool: BridgeTool, given: unknown, target: BridgeTarget): Promise<Invocation> {
  const request = prepare(tool, given ?? {}, target);
  if ("outcome" in request) return request;
  const deadline = AbortSignal.timeout(target.timeout);
  const interruption = () => (target.signal.aborted ? "cancelled" : deadline.aborted ? "timeout" : undefined);
  const { method } = request;
  const response = await send(request, AbortSignal.any([deadline, target.signal]), target);
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

function prepare(tool: BridgeTool, given: unknown, target: BridgeTarget): UpstreamRequest | Invocation {
  try {
    const problems = target.check(tool.inputSchema, given);
    if (problems.length > 0) return invalidArguments(problems);
    return buildRequest(
      tool.request.baseURL ?? target.baseURL,
      tool.request,
      given as Readonly<Record<string, unknown>>,
    );
  } catch (cause) {
    if (cause instanceof RequestError) return invalidArguments([cause.message]);
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
