import { errorResult, type ToolResult } from "../tool-result.ts";

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
