import { errorResult, type ToolResult } from "../../protocol/mcp/tool-result.ts";
import type { BridgeTool } from "../catalog.ts";
import type { ReportProgress } from "../progress.ts";

/** Bytes of a body that says what went wrong; agents pay for each. */
export const ERROR_LIMIT = 16 * 1024;

/** What an answer is read with. */
export interface Reading {
  readonly tool: BridgeTool;
  readonly response: Response;
  readonly progress?: ReportProgress;
  /** The result is not held against the tool's output schema: its reader was never told of one. */
  readonly lenient?: boolean;
  /** Why the exchange was aborted; undefined while it was not. */
  readonly interruption?: () => "cancelled" | "timeout" | undefined;
}

/** An answer that began and did not come to its end. */
export class BrokenOffError extends Error {
  constructor() {
    super("The answer broke off.");
    this.name = "BrokenOffError";
  }
}

/** The result for the agent and what the audit record says of the call. */
export interface Invocation {
  readonly result: ToolResult;
  readonly outcome: "success" | "tool_error" | "upstream_error" | "cancelled" | "denied";
  readonly reason?: string;
  /** Why no answer came, for the log: a code such as `ECONNREFUSED` (`lib/net/failure.ts`). */
  readonly cause?: string;
}

export function succeeded(result: ToolResult): Invocation {
  return { result, outcome: "success" };
}

/** The API did something wrong. */
export function failed(reason: string, text: string): Invocation {
  return { result: errorResult(text), outcome: "upstream_error", reason };
}

/** The API says that it did what it was asked, but its answer is not one that can be passed on as a success. */
export function unexpected({ tool }: Reading, problem: string, text?: string): Invocation {
  const { method } = tool.request;
  const note = `The API accepted the ${method} request, but its answer is not as documented: ${problem}.`;
  return failed("unexpected_response", [note + beforeRepeating(method), text].filter((part) => part).join("\n\n"));
}

/** Whatever came in place of the answer, as far as it helps. */
export function cut(text: string): string {
  return text.length <= ERROR_LIMIT
    ? text
    : `${text.slice(0, ERROR_LIMIT).toWellFormed()}\n[Only the first ${ERROR_LIMIT} characters are shown.]`;
}

/** What an agent is told of a request that may have been carried out although nothing says so; nothing of a safe one. */
export function beforeRepeating(method: string): string {
  return SAFE.has(method) ? "" : " Before you repeat the call, find out whether it took effect.";
}

/** RFC 9110 §9.2.1, and the QUERY method. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);
