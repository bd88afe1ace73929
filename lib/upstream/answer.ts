import type { Invocation } from "../openapi/response/invocation.ts";
import type { WrittenAnswer } from "./agent-side.ts";
import type { AnswerFacts } from "./wire/answer-facts.ts";

/** What an upstream answered, ready for the agent, and what is known of it. */
export interface UpstreamAnswer {
  readonly forwarded: Forwarded;
  readonly facts: AnswerFacts;
}

/** What an upstream answered to a request of an agent, in the agent's own form. */
export type Forwarded =
  /** A whole JSON-RPC message. `status` is the one that the upstream refused the HTTP request with, if it did. */
  | { readonly kind: "message"; readonly text: string; readonly status?: number }
  /** It went out while it arrived, and waits to be committed. */
  | { readonly kind: "written"; readonly answer: WrittenAnswer };

/** The answer to a call with what the audit record says of it. */
export type ForwardedCall = Forwarded & Pick<Invocation, "outcome" | "reason" | "cause">;

/** What the audit record says of an answer: `error_<code>` where it is an error of the protocol. */
export function callOutcome({
  hasError,
  errorCode,
  isError,
  resultType,
}: AnswerFacts): Pick<Invocation, "outcome" | "reason"> {
  if (hasError) return { outcome: "upstream_error", reason: errorCode === undefined ? "error" : `error_${errorCode}` };
  if (isError) return { outcome: "tool_error" };
  // The call goes on when the agent repeats it with what was asked for.
  if (resultType === "input_required") return { outcome: "success", reason: "input_required" };
  return { outcome: "success" };
}
