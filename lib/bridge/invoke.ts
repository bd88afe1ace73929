import type { BridgeTool } from "./catalog.ts";
import type { ReportProgress } from "./progress.ts";
import { buildRequest, type UpstreamRequest } from "./request.ts";
import { RequestError } from "./request-error.ts";
import { type Invocation, readResponse } from "./response.ts";
import { errorResult } from "./tool-result.ts";
import type { SchemaCheck } from "./validation.ts";

export interface BridgeTarget {
  readonly baseURL: string;
  /** Milliseconds for the whole exchange, the body included. */
  readonly timeout: number;
  /** What identifies the caller to the API; wins over headers that the arguments make. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly check: SchemaCheck;
  /** Aborts when the agent gives up; a reason that is a text is one short word of why, for the record. */
  readonly signal: AbortSignal;
  /** Told of an answer that takes its time. */
  readonly progress?: ReportProgress;
}

/** Calls the operation of a tool. Whatever goes wrong on the way to the API and back is a result that says so. */
export async function invokeOperation(tool: BridgeTool, given: unknown, target: BridgeTarget): Promise<Invocation> {
  const request = prepare(tool, given ?? {}, target);
  if ("outcome" in request) return request;
  const deadline = AbortSignal.timeout(target.timeout);
  const signal = AbortSignal.any([deadline, target.signal]);
  try {
    const { url, method, headers, body } = request;
    // A redirect could lead anywhere; the operator named one API.
    const response = await target.fetch(url, {
      method,
      headers: { ...headers, ...target.headers },
      redirect: "manual",
      signal,
      ...(body !== undefined && { body }),
    });
    return await readResponse(tool, response, target);
  } catch {
    return interrupted(target, deadline);
  }
}

function prepare(tool: BridgeTool, given: unknown, target: BridgeTarget): UpstreamRequest | Invocation {
  try {
    const problems = target.check(tool.inputSchema, given);
    if (problems.length > 0) return invalidArguments(problems.join("; "));
    return buildRequest(target.baseURL, tool.request, given as Readonly<Record<string, unknown>>);
  } catch (cause) {
    if (cause instanceof RequestError) return invalidArguments(cause.message);
    throw cause;
  }
}

function invalidArguments(problem: string): Invocation {
  return { result: errorResult(`Invalid arguments: ${problem}`), outcome: "tool_error", reason: "invalid_arguments" };
}

function interrupted(target: BridgeTarget, deadline: AbortSignal): Invocation {
  if (target.signal.aborted) {
    return { result: errorResult("The call was cancelled."), outcome: "cancelled", reason: whyAborted(target.signal) };
  }
  if (deadline.aborted) {
    const text = `The API did not answer within ${target.timeout} ms.`;
    return { result: errorResult(text), outcome: "upstream_error", reason: "timeout" };
  }
  return { result: errorResult("The API could not be reached."), outcome: "upstream_error", reason: "unreachable" };
}

/** What the one who aborted says of it, in one of few words; a connection that is gone says nothing of its own. */
function whyAborted({ reason }: AbortSignal): string {
  return typeof reason === "string" && /^[a-z_]+$/.test(reason) ? reason : "agent_left";
}
