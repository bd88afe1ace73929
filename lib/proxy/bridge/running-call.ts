import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { askedByUpstream, PERSON_PATIENCE } from "../asked.ts";
import { startDeadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { isForgotten, sendInSession, type Through } from "../session/request.ts";
import type { Upstream, UpstreamRequest } from "../upstream.ts";
import type { Attached, Question, Turn, WaitingCall } from "../waiting/waiting-calls.ts";
import { currentUpstream } from "./current-upstream.ts";
import { createGate } from "./gate.ts";
import { canBeAsked, readInputRequest } from "./input-requests.ts";
import { leaveSession } from "./leave-session.ts";
import { postResponse } from "./post-response.ts";
import { withProgressToken } from "./progress-token.ts";
import { openStandingStream } from "./standing-stream.ts";

export interface StartedCall extends WaitingCall {
  /** The first turn. */
  readonly turn: Promise<Turn>;
}

/**
 * Makes a call in a session of its own, which may ask the agent for something: then nothing more is read of the upstream until the
 * agent has brought the answer, with a request of its own, and the session ends with the call.
 */
export function startCall(request: UpstreamRequest, session: UpstreamSession, first: Attached): StartedCall {
  const { app, shared } = first.upstream;
  const abandoned = new AbortController();
  const deadline = startDeadline(app.timeout);
  const gate = createGate();
  let attached = first;
  let asked = Promise.withResolvers<Question>();
  let waiting: { readonly question: Question; readonly id: string | number } | undefined;
  let round = 0;

  const upstream = currentUpstream(() => attached, abandoned.signal);
  const listener: Listener = {
    notified: (message) => {
      const told = withProgressToken(message, first.progressToken, attached.progressToken);
      if (told !== undefined) attached.listener.notified(told);
    },
    asked: (read, message, respond) => {
      const input = readInputRequest(message, first.upstream.agent.clientCapabilities);
      if (input === undefined) return askedByUpstream(read, message, respond, upstream);
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

  async function goOn(): Promise<Turn> {
    const { signal } = attached.upstream;
    const leave = () => abandoned.abort(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    deadline.extend();
    try {
      const turn = await Promise.race([answered.then(answerTurn), asked.promise.then(questionTurn)]);
      if (turn.kind === "asked") deadline.extend(PERSON_PATIENCE);
      return turn;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  const abandon = (): void => {
    abandoned.abort("abandoned");
    gate.end();
  };
  deadline.signal.addEventListener("abort", () => {
    if (waiting !== undefined) tellExpired(upstream);
    gate.end();
  });
  abandoned.signal.addEventListener("abort", gate.end);
  shared.dependencies.stopping?.addEventListener("abort", abandon, { once: true, signal: ended.signal });

  return {
    turn: goOn(),
    question: () => waiting?.question,
    answer: async (result, next) => {
      const asking = waiting;
      if (asking === undefined) throw new Error("a call that is answered waits");
      waiting = undefined;
      try {
        await postResponse(session, { id: asking.id, result }, next.upstream, deadline.signal);
      } catch (cause) {
        if (isForgotten(cause, session)) abandon();
        else waiting = asking;
        throw cause;
      }
      attached = next;
      asked = Promise.withResolvers();
      const turn = goOn();
      gate.open();
      return turn;
    },
    abandon,
    over,
  };
}

function tellExpired({ app, request, shared }: Upstream): void {
  request.logger.info("a call was given up: the agent did not bring what the upstream asked for", { app: app.name });
  shared.dependencies.telemetry?.record("countersign.upstream.waits.expired", 1, { "countersign.app": app.name });
}

function asTheyCome(messages: Parameters<Through>[0]): ReturnType<Through> {
  return messages;
}

function answerTurn(answer: UpstreamAnswer): Turn {
  return { kind: "answered", answer };
}

function questionTurn(question: Question): Turn {
  return { kind: "asked", question };
}

function ignore(): void {
  // How a call ended is told to who waits for its answer.
}
