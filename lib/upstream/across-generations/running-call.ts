import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { startDeadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { PERSON_PATIENCE, relayServerRequest } from "../server-requests.ts";
import { leaveSession } from "../session/end-session.ts";
import { notify } from "../session/open-session.ts";
import { isForgotten, sendInSession, type Through } from "../session/session-request.ts";
import type { SpokenUpstream, UpstreamRequest } from "../spoken-upstream.ts";
import type { Attached, OwnCall, Question } from "../waiting/waiting-calls.ts";
import { aborted } from "../wire/upstream-failure.ts";
import { canBeAsked, readInputRequest } from "./input-requests.ts";
import { openStandingStream } from "./standing-stream.ts";

/** What comes of a call next: its answer, or the question that it waits with. */
export type Step =
  | { readonly kind: "answered"; readonly answer: UpstreamAnswer }
  | { readonly kind: "asked"; readonly question: Question };

export interface RunningCall {
  readonly first: Promise<Step>;
  /** What it waits for; undefined while it goes on, and when it is over. */
  question(): Question | undefined;
  /** While there is a question. Where the upstream refuses to take the answer, the call waits as before. */
  answer(result: JsonObject, attached: Attached): Promise<Step>;
  /** Gives the call up; nothing comes of it any more. */
  abandon(): void;
  /** Resolves when it is over, however. */
  readonly over: Promise<void>;
}

/**
 * Makes a call in a session of its own, which may ask the agent for something: then nothing more is read of the upstream until the
 * agent has brought the answer, with a request of its own, and the session ends with the call.
 */
export function startCall(
  request: UpstreamRequest,
  session: UpstreamSession,
  first: Attached,
  { stopping, telemetry }: OwnCall["instance"],
): RunningCall {
  const { app } = first.upstream;
  const abandoned = new AbortController();
  const deadline = startDeadline(app.timeout);
  const gate = createGate();
  let attached = first;
  let asked = Promise.withResolvers<Question>();
  let waiting: { readonly question: Question; readonly id: string | number } | undefined;
  let round = 0;

  const { upstream, reachBy } = currentUpstream(first, abandoned.signal);
  const listener: Listener = {
    notified: (message) => {
      const told = withProgressToken(message, first.progressToken, attached.progressToken);
      if (told !== undefined) attached.listener.notified(told);
    },
    asked: (read, message, respond) => {
      const input = readInputRequest(message, first.upstream.agent.clientCapabilities);
      if (input === undefined) return relayServerRequest(read, message, respond, upstream);
      round += 1;
      waiting = { question: { round, asked: input }, id: read.id };
      gate.shut();
      asked.resolve(waiting.question);
    },
  };

  const ended = new AbortController();
  const canAsk = canBeAsked(first.upstream.agent.clientCapabilities);
  const standing = canAsk ? openStandingStream(session, upstream, ended.signal) : asTheyCome;
  const through: Through = (messages) => gate.through(standing(messages));
  const answered = sendInSession(session, request, upstream, listener, deadline, through).finally(end);
  // While it waits nobody hears of it; whoever comes back does.
  const over = answered.then(ignore, ignore);

  function end(): void {
    deadline.end();
    ended.abort();
    waiting = undefined;
    leaveSession(session, upstream);
  }

  async function goOn(): Promise<Step> {
    const { signal } = attached.upstream;
    const leave = () => abandoned.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    deadline.extend();
    try {
      const step = await Promise.race([answered.then(answerStep), asked.promise.then(questionStep)]);
      if (step.kind === "asked") deadline.extend(PERSON_PATIENCE);
      return step;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  const abandon = (): void => {
    abandoned.abort("abandoned");
    gate.end();
  };
  deadline.signal.addEventListener("abort", () => {
    if (waiting !== undefined) tellExpired(upstream, telemetry);
    gate.end();
  });
  abandoned.signal.addEventListener("abort", gate.end);
  stopping?.addEventListener("abort", abandon, { once: true, signal: ended.signal });

  return {
    first: goOn(),
    question: () => waiting?.question,
    answer: async (result, back) => {
      const asking = waiting;
      if (asking === undefined) throw new Error("a call that is answered waits");
      waiting = undefined;
      try {
        await postResponse(session, { id: asking.id, result }, back.upstream, deadline.signal);
      } catch (cause) {
        if (isForgotten(cause, session)) abandon();
        else waiting = asking;
        throw cause;
      }
      attached = back;
      reachBy(back);
      asked = Promise.withResolvers();
      const next = goOn();
      gate.open();
      return next;
    },
    abandon,
    over,
  };
}

function tellExpired({ app, request }: SpokenUpstream, telemetry: OwnCall["instance"]["telemetry"]): void {
  request.logger.info("a call was given up: the agent did not bring what the upstream asked for", { app: app.name });
  telemetry?.record("countersign.upstream.waits.expired", 1, { "countersign.app": app.name });
}

function asTheyCome(messages: Parameters<Through>[0]): ReturnType<Through> {
  return messages;
}

function answerStep(answer: UpstreamAnswer): Step {
  return { kind: "answered", answer };
}

function questionStep(question: Question): Step {
  return { kind: "asked", question };
}

function ignore(): void {
  // How a call ended is told to who waits for its answer.
}

/**
 * The upstream of a call that outlives requests of the agent, as the request of the moment reaches it: with its credential, and with
 * its id for the answer. Its members are set anew where others would be getters, which keep what they see (D209).
 */
function currentUpstream(
  first: Attached,
  signal: AbortSignal,
): { readonly upstream: SpokenUpstream; readonly reachBy: (next: Attached) => void } {
  let current = first.upstream;
  const agent = {
    ...current.agent,
    // What the call cannot wait for is refused.
    hearsRequests: false,
    relay: (message: JsonObject) => current.agent.relay(message),
    openAnswer: () => current.agent.openAnswer(),
  };
  const upstream = { ...current, signal, agent };
  const reachBy = ({ upstream: next }: Attached): void => {
    current = next;
    upstream.request = next.request;
    upstream.fetch = next.fetch;
    upstream.headers = next.headers;
    agent.id = next.agent.id;
  };
  return { upstream, reachBy };
}

/** Lets messages through while it is open; what has not been read yet waits at the upstream. */
interface Gate {
  readonly through: Through;
  open(): void;
  shut(): void;
  /** What waits behind it ends: `aborted`. */
  end(): void;
}

function createGate(): Gate {
  let isEnded = false;
  let passage: PromiseWithResolvers<void> | undefined;
  const open = (): void => {
    passage?.resolve();
    passage = undefined;
  };
  return {
    through: async function* (messages) {
      const iterator = messages[Symbol.asyncIterator]();
      try {
        for (;;) {
          await passage?.promise;
          if (isEnded) throw aborted();
          const { done, value } = await iterator.next();
          if (done) return;
          yield value;
        }
      } finally {
        await iterator.return?.();
      }
    },
    open,
    shut: () => {
      if (!isEnded) passage ??= Promise.withResolvers();
    },
    end: () => {
      isEnded = true;
      open();
    },
  };
}

/**
 * Brings an upstream the agent's answer to what it asked. Resolves when it has taken it.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
function postResponse(
  session: UpstreamSession,
  response: Pick<JsonObject, "id" | "result">,
  upstream: SpokenUpstream,
  deadline: AbortSignal,
): Promise<void> {
  return notify(session, response, upstream, AbortSignal.any([upstream.signal, deadline]));
}

/**
 * Progress of a call that goes on for another request of the agent than the one it began with: by the token of that request, or not
 * at all where it has none (MCP, Progress). Other notifications stay as they are.
 */
function withProgressToken(message: JsonObject, first: unknown, current: unknown): JsonObject | undefined {
  const { method, params } = message;
  if (method !== "notifications/progress" || !isJsonObject(params) || params.progressToken !== first) return message;
  if (first === current) return message;
  return current === undefined ? undefined : { ...message, params: { ...params, progressToken: current } };
}
