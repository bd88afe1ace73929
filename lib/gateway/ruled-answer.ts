import { utf8 } from "../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { INTERNAL_ERROR, URL_ELICITATION_REQUIRED } from "../protocol/mcp/json-rpc.ts";
import { errorResult, type ToolResult } from "../protocol/mcp/tool-result.ts";
import { WithheldError, type WithheldReason } from "../tool-rules/result-rule.ts";
import type { ResultRules, WithheldResults } from "../tool-rules/result-rules.ts";
import { maskedMessage, ruledResult, ruledTask } from "../tool-rules/ruled-result.ts";
import type { AgentSide } from "../upstream/agent-side.ts";
import type { Forwarded, UpstreamAnswer } from "../upstream/answer.ts";
import { parseExact } from "../upstream/wire/exact-json.ts";
import type { MadeCall } from "./tool-index.ts";

/** Bytes of an answer that rules are applied to. */
const LARGEST = 4 * 1024 * 1024;

/** An answer as agents get it, and what the record says of it besides where it is withheld. */
type Ruled<Answer> = Answer & Pick<MadeCall, "reason" | "details">;

type Rules = (() => ResultRules | WithheldResults) | undefined;

/**
 * What a REST API answered, after the rules of the tool. Texts of ours stay, and so does the line with the HTTP status.
 *
 * @param results absent: there are none
 */
export function ruledInvocation<Answer extends MadeCall & { readonly result: ToolResult }>(
  answer: Answer,
  results: Rules,
): Ruled<Answer> {
  const rules = rulesIn(results);
  if (rules === undefined) return answer;
  try {
    return { ...answer, result: ruledToolResult(answer, rules) };
  } catch (cause) {
    const { why } = asWithheld(cause);
    return { ...answer, ...withheldFor(why), result: errorResult(withheldText(why, statusOf(answer.result))) };
  }
}

function ruledToolResult(
  { result, outcome, reason = "" }: MadeCall & { readonly result: ToolResult },
  rules: ResultRules,
): ToolResult {
  if (reason === "response_too_large") throw new WithheldError("too_large");
  const [first] = result.content;
  const said = first?.type === "text" ? first.text : undefined;
  const isOurs =
    outcome === "cancelled" || OURS.has(reason) || (reason === "broken_off" && said?.includes("\n\n") === false);
  const isEmpty = outcome === "success" && said !== undefined && STATUS.test(said);
  if (outcome !== "success" && !isOurs && rules.removal !== undefined) throw new WithheldError("error");
  const notesFrom = isOurs || isEmpty || outcome !== "success" ? 0 : 1;
  return ruledResult({ ...result }, rules, { parse: JSON.parse, notesFrom }) as unknown as ToolResult;
}

/** Reasons of calls whose results say nothing of the API's own. */
const OURS: ReadonlySet<string> = new Set(["unreachable", "timeout", "invalid_arguments", "not_connected"]);
const STATUS = /^HTTP \d{3}(?: [A-Za-z' -]{0,60})?$/;

function statusOf({ content: [first] }: ToolResult): string | undefined {
  return first?.type === "text" ? /^HTTP (\d{3})/.exec(first.text)?.[1] : undefined;
}

/** An MCP server's answer to a call, after the rules of the tool. */
export function ruledForwarded(
  answer: Forwarded,
  results: Rules,
  agent: Pick<AgentSide, "id" | "generation">,
  shape: ResultShape = "call",
): Ruled<Forwarded> {
  const rules = rulesIn(results);
  if (rules === undefined || answer.kind !== "message") return answer;
  try {
    if (utf8(answer.text).length > LARGEST) throw new WithheldError("too_large");
    return { ...answer, text: JSON.stringify(ruledMessage(parseExact(answer.text), rules, shape)) };
  } catch (cause) {
    return withheldAnswer(cause, agent, shape);
  }
}

/** What is answered: the result of a call, or a task, which has one in its `result` when it is over. */
export type ResultShape = "call" | "task";

/** In place of an answer that nothing may be shown of. Throws whatever is no such reason. */
export function withheldAnswer(
  cause: unknown,
  { id, generation }: Pick<AgentSide, "id" | "generation">,
  shape: ResultShape = "call",
): Extract<Forwarded, { kind: "message" }> & Pick<MadeCall, "reason" | "details"> {
  const { why } = asWithheld(cause);
  const text = withheldText(why);
  const outcome =
    shape === "call"
      ? { result: { ...(generation === "stateless" && { resultType: "complete" }), ...errorResult(text) } }
      : { error: { code: INTERNAL_ERROR, message: text } };
  return { kind: "message", text: JSON.stringify({ jsonrpc: "2.0", id, ...outcome }), ...withheldFor(why) };
}

function ruledMessage(message: unknown, rules: ResultRules, shape: ResultShape): JsonObject {
  if (!isJsonObject(message)) throw new WithheldError("malformed");
  const { result, error } = message;
  if (isJsonObject(error)) {
    // Where something is taken away, the error may say it.
    if (rules.removal !== undefined && error.code !== URL_ELICITATION_REQUIRED) throw new WithheldError("error");
    const { code, data, ...said } = error;
    const shown = code === URL_ELICITATION_REQUIRED ? maskedMessage(data, rules) : undefined;
    const masked = maskedMessage({ ...said, ...(data !== undefined && { data }) }, rules) as object;
    return { ...message, error: { code, ...masked, ...(shown !== undefined && { data: shown }) } };
  }
  if (!isJsonObject(result)) throw new WithheldError("malformed");
  const reading = { parse: parseExact };
  return {
    ...message,
    result: shape === "call" ? ruledResult(result, rules, reading) : ruledTask(result, rules, reading),
  };
}

function rulesIn(results: Rules): ResultRules | undefined {
  const made = results?.();
  return made === undefined || "withheld" in made ? undefined : made;
}

/**
 * Forwards a request of an agent with its answer held until it is whole, where there are rules for it.
 *
 * @param forward forwards it on behalf of a caller
 * @throws WithheldError where the answer is too large, and what `forward` throws
 */
export async function forwardRuled<Caller extends { readonly agent: AgentSide }>(
  caller: Caller,
  results: Rules,
  forward: (caller: Caller) => Promise<UpstreamAnswer>,
  shape: ResultShape = "call",
): Promise<{ readonly forwarded: Ruled<Forwarded>; readonly facts: UpstreamAnswer["facts"] }> {
  if (rulesIn(results) === undefined) return forward(caller);
  const { agent, held } = holdingAgent(caller.agent);
  const { forwarded, facts } = await forward({ ...caller, agent });
  const whole = forwarded.kind === "message" ? forwarded : ({ kind: "message", text: held() } as const);
  return { forwarded: ruledForwarded(whole, results, caller.agent, shape), facts };
}

function holdingAgent(agent: AgentSide): { readonly agent: AgentSide; readonly held: () => string } {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  const openAnswer = (): ReturnType<AgentSide["openAnswer"]> => {
    [text, length] = ["", 0];
    return {
      write: async (chunk) => {
        length += chunk.length;
        if (length > LARGEST) throw new WithheldError("too_large");
        text += decoder.decode(chunk, { stream: true });
      },
      commit: ignore,
      withdraw: ignore,
    };
  };
  return { agent: { ...agent, openAnswer }, held: () => text };
}

function ignore(): void {
  // Nothing has gone out.
}

function withheldFor(why: WithheldReason): Pick<MadeCall, "reason" | "details"> {
  return { reason: "result_withheld", details: { withheld: why } };
}

function withheldText(why: WithheldReason, status?: string): string {
  const answered = status === undefined ? "" : ` It was answered with the HTTP status ${status}.`;
  return `The call was made, and its result is withheld: ${WHY[why]}.${answered}`;
}

const WHY: Readonly<Record<WithheldReason, string>> = {
  too_large:
    "it is longer than the 4 MiB that rules for results are applied to. Ask for less, if the tool has arguments for it",
  not_json: "rules take something out of it, and it is no JSON",
  list: "rules take something out of an object, and there is a list in its place",
  too_costly:
    "its texts are too long for the patterns that are to be masked. Ask for less, if the tool has arguments for it",
  malformed: "it is no result that rules for results can be applied to",
  error: "the call failed, and rules take something out of what the server says",
};

/** Throws again what is a defect. */
function asWithheld(cause: unknown): WithheldError {
  if (cause instanceof WithheldError) return cause;
  throw cause;
}
