import type { Invocation } from "../bridge/response/invocation.ts";
import type { AnswerFacts } from "./wire/answer-facts.ts";

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
