import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { RpcRequest } from "../protocol/mcp/message.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { Deadline } from "./deadline.ts";
import type { SpokenUpstream, UpstreamRequest } from "./spoken-upstream.ts";
import type { AnswerFacts } from "./wire/answer-facts.ts";
import { parseExact } from "./wire/exact-json.ts";
import { createJsonRewriter, rewriteText } from "./wire/json-rewriter.ts";
import { needsRewriting } from "./wire/rewrite-rules.ts";
import { brokenJson, brokenOff, UpstreamFailure } from "./wire/upstream-failure.ts";
import type { UpstreamMessage } from "./wire/upstream-message.ts";

/** Answers a request of the upstream. */
export type Respond = (outcome: { readonly result: JsonObject } | { readonly error: JsonObject }) => void;

/** What becomes of messages that are not the answer. */
export interface Listener {
  readonly notified: (message: JsonObject) => void;
  /** @param respond absent: the upstream takes no answers */
  readonly asked: (request: RpcRequest, message: JsonObject, respond?: Respond) => void;
}

/** For requests of our own, which nobody hears more of than the answer. */
export const SILENT: Listener = { notified: () => undefined, asked: () => undefined };

/**
 * Reads what an upstream sends until the answer to a request is there; everything before goes to the listener, in order. What
 * answers something else, or comes a second time, is passed over.
 *
 * @throws UpstreamFailure when there is no answer
 */
export async function deliver(
  messages: AsyncIterable<UpstreamMessage>,
  request: UpstreamRequest,
  upstream: SpokenUpstream,
  listener: Listener,
  deadline: Deadline,
  inspect: Inspect = () => undefined,
): Promise<UpstreamAnswer> {
  for await (const message of messages) {
    deadline.extend();
    // Awaited here: leaving the loop ends the exchange that the chunks come from.
    if (message.kind === "long") return await deliverLong(message.chunks, request, upstream, deadline, inspect);
    if (dispatch(message, listener)) continue;
    const read = message.message;
    // What could not be read is answered without an id (JSON-RPC 2.0 §5): nothing else was sent.
    const isUnread = read.error !== undefined && (read.id === null || read.id === undefined);
    if (read.id === request.id || isUnread) {
      const answer = wholeAnswer(message.text, read, request, upstream);
      inspect(answer.facts);
      return answer;
    }
    upstream.request.logger.debug("an upstream answered what was not asked", { app: upstream.app.name });
  }
  throw brokenOff();
}

/** Hands on a notification or a request, with its numbers as they were written. False for an answer. */
export function dispatch({ text, message }: Extract<UpstreamMessage, { kind: "whole" }>, listener: Listener): boolean {
  const { method, id } = message;
  if (typeof method !== "string") return false;
  const exact = parseExact(text) as JsonObject;
  if (id === undefined) listener.notified(exact);
  else {
    const params = isJsonObject(exact.params) ? exact.params : {};
    listener.asked({ kind: "request", id: id as RpcRequest["id"], method, params }, exact);
  }
  return true;
}

function wholeAnswer(
  text: string,
  message: JsonObject,
  { rules }: UpstreamRequest,
  { agent }: SpokenUpstream,
): UpstreamAnswer {
  const { result, error } = message;
  const id = { path: [], name: "id", json: JSON.stringify(agent.id) };
  const forwarded = needsRewriting(text, message, agent.id, rules)
    ? rewriteText(text, { ...rules, insert: [...(rules.insert ?? []), id] })
    : text;
  return {
    forwarded: { kind: "message", text: forwarded },
    facts: {
      isAnswer: true,
      hasResult: result !== undefined,
      hasError: error !== undefined,
      isError: isJsonObject(result) && result.isError === true,
      ...(isJsonObject(result) && typeof result.resultType === "string" && { resultType: result.resultType }),
      ...(isJsonObject(result) && asksForInput(result) && { asksForInput: true }),
      ...(isJsonObject(error) && typeof error.code === "number" && { errorCode: error.code }),
    },
  };
}

function asksForInput({ inputRequests, requestState }: JsonObject): boolean {
  return inputRequests !== undefined || requestState !== undefined;
}

/** Looks at an answer while it comes. @throws UpstreamFailure where nothing more of it may go on to the agent */
export type Inspect = (facts: AnswerFacts) => void;

/**
 * For servers with sessions, which ask by requests of their own. State that such a server hands out would come back unsealed
 * (checklist 30).
 *
 * @throws UpstreamFailure `input_in_session`
 */
export const refuseInput: Inspect = ({ asksForInput }) => {
  if (asksForInput === true) throw new UpstreamFailure("input_in_session", INPUT_IN_SESSION);
};

const INPUT_IN_SESSION =
  "The MCP server asked for input in its result, which its protocol revision does not have. Nothing of it is passed on.";

/** Goes out while it comes in: nothing of it is held but what has to be looked at. */
async function deliverLong(
  chunks: AsyncIterable<Uint8Array>,
  { id: asked, rules }: UpstreamRequest,
  { agent }: SpokenUpstream,
  deadline: Deadline,
  inspect: Inspect,
): Promise<UpstreamAnswer> {
  const id = { path: ["id"], json: JSON.stringify(agent.id) };
  const rewriter = createJsonRewriter({ ...rules, set: [...(rules.set ?? []), id] });
  const answer = agent.openAnswer();
  try {
    for await (const chunk of chunks) {
      deadline.extend();
      const piece = rewriter.push(chunk);
      inspect(rewriter.facts());
      await answer.write(piece);
    }
    await answer.write(rewriter.end());
    const { isAnswer, id: answered } = rewriter.facts();
    if (!isAnswer || answered !== asked) throw brokenJson("it is no answer to the request");
  } catch (cause) {
    answer.withdraw();
    throw cause;
  }
  return { forwarded: { kind: "written", answer }, facts: rewriter.facts() };
}
