import { base64url } from "../../kernel/encoding.ts";
import { uuid } from "../../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { notificationMessage } from "../../protocol/mcp/json-rpc.ts";
import type { SessionSignal } from "../../stores/session-channel.ts";
import type { Deadline } from "../deadline.ts";
import { wrappedMessage } from "../names/rules-of.ts";
import { withOwnTask } from "../names/task-id.ts";
import { waitingId } from "../request-ids.ts";
import { PERSON_PATIENCE } from "../server-requests.ts";
import type { Upstream } from "../upstream.ts";
import { aborted } from "../wire/upstream-failure.ts";
import type { InputRequest } from "./input-requests.ts";

/** What the agent said, by the keys of what it was asked; or why that is not to be had, for the agent. */
export type Answers =
  | { readonly kind: "answered"; readonly responses: JsonObject }
  | { readonly kind: "failed"; readonly text: string };

interface Question {
  readonly key: string;
  /** Of the request to the agent. */
  readonly id: string;
  readonly asked: InputRequest;
}

/**
 * Asks an agent with a session on the stream of its request. The answers come as requests of their own, by the session's
 * channel, to wherever this one runs.
 *
 * @throws UpstreamFailure `aborted` when the agent gives up
 */
export async function askAgent(
  requests: readonly (readonly [key: string, asked: InputRequest])[],
  upstream: Upstream,
  deadline: Deadline,
): Promise<Answers> {
  const { agent, app, shared, signal } = upstream;
  const { sessionChannel: channel, random } = shared;
  if (channel === undefined || agent.session === undefined) throw new Error("an agent that is asked has a session");
  const questions = requests.map(([key, asked]) => {
    const id = waitingId(app.name, base64url(random.bytes(16)));
    return { key, asked: withElicitationId(asked, uuid(random)), id };
  });
  const collected = collect(questions, upstream);
  // Whoever answers at once is heard as well.
  const following = await channel.follow(agent.session.reference.sessionHash, collected.receive);
  deadline.extend(PERSON_PATIENCE);
  const given = whenAborted(AbortSignal.any([signal, deadline.signal]));
  try {
    for (const { id, asked } of questions) agent.relay({ jsonrpc: "2.0", id, ...wrappedMessage({ ...asked }, app) });
    const lost = following.lost.then(
      (): Answers => failed("The answer to what the MCP server asked could not be heard."),
    );
    const answers = await Promise.race([collected.answers, lost, given.aborted]);
    if (signal.aborted) throw aborted();
    return answers ?? failed(`What the MCP server asked was not answered within ${PERSON_PATIENCE} ms.`);
  } finally {
    given.stop();
    following.stop();
    for (const requestId of collected.open())
      agent.relay(
        notificationMessage("notifications/cancelled", { requestId, reason: "The answer is not waited for any more." }),
      );
    deadline.extend();
  }
}

function failed(text: string): Answers {
  return { kind: "failed", text };
}

function collect(questions: readonly Question[], { app }: Pick<Upstream, "app">) {
  const { promise: answers, resolve } = Promise.withResolvers<Answers>();
  const responses = new Map<string, unknown>();
  const open = new Map(questions.map((question) => [question.id, question]));
  const receive = (signal: SessionSignal): void => {
    if (signal.kind !== "response") return;
    const question = open.get(String(signal.id));
    if (question === undefined) return;
    open.delete(question.id);
    const { result, error } = signal.message;
    if (result === undefined) resolve(failed(refusalText(question, error)));
    responses.set(question.key, isJsonObject(result) ? withOwnTask(result, app) : result);
    if (open.size === 0) resolve({ kind: "answered", responses: Object.fromEntries(responses) });
  };
  return { answers, receive, open: () => open.keys() };
}

function refusalText({ asked }: Question, error: unknown): string {
  const code = isJsonObject(error) && typeof error.code === "number" ? ` (error ${error.code})` : "";
  return `The client did not do what the MCP server asked of it with ${asked.method}${code}.`;
}

function whenAborted(signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const over = () => resolve(undefined);
  if (signal.aborted) over();
  signal.addEventListener("abort", over, { once: true });
  return { aborted: promise, stop: () => signal.removeEventListener("abort", over) };
}

/** Required by clients of MCP 2025-11-25 where a person is sent to a page; later revisions have none. */
function withElicitationId(asked: InputRequest, elicitationId: string): InputRequest {
  const { method, params } = asked;
  if (method !== "elicitation/create" || params?.mode !== "url" || params.elicitationId !== undefined) return asked;
  return { method, params: { ...params, elicitationId } };
}
