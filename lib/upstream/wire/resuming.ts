import type { Resumption } from "./event-source.ts";
import { openUpstreamStream } from "./post-message.ts";
import { aborted, brokenOff, UpstreamFailure, type UpstreamFailureReason } from "./upstream-failure.ts";
import type { UpstreamMessage } from "./upstream-message.ts";
import type { Messages } from "./wire-answer.ts";
import type { WireTarget } from "./wire-target.ts";

/** How long to wait where the upstream does not say, milliseconds (HTML Standard §9.2.3: a few seconds at most). */
const WAIT = 1_000;
/** However soon or late an upstream says it wants to see us again. */
const SHORTEST_WAIT = 100;
const LONGEST_WAIT = 60_000;

/**
 * The messages of an answer, and what follows when its stream ends before whoever reads them leaves (MCP 2025-11-25, Transports,
 * Resumability and Redelivery): upstreams close streams of long requests and let clients come back with the id of the last
 * event. The request is not sent again. What breaks within a message that is read while it comes is not taken up.
 *
 * @param target of the session's streams; its signal ends the attempts
 * @throws UpstreamFailure `broken_off` where there is nothing to go on with; and what reading throws
 */
export function resuming(first: Messages, target: WireTarget): AsyncIterable<UpstreamMessage> {
  // Only streams can be taken up.
  return first.resumption === undefined ? first.messages : resumed(first, target);
}

async function* resumed(first: Messages, target: WireTarget): AsyncGenerator<UpstreamMessage, void, undefined> {
  let stream: Messages | undefined = first;
  let from: Resumption = {};
  for (;;) {
    if (stream !== undefined) yield* untilBroken(stream.messages, () => canResume(stream, from));
    from = { ...from, ...stream?.resumption?.() };
    const { lastEventId, retry = WAIT } = from;
    if (lastEventId === undefined) return;
    await pause(Math.min(Math.max(retry, SHORTEST_WAIT), LONGEST_WAIT), target.signal);
    stream = await reopen(lastEventId, target);
  }
}

function canResume(stream: Messages | undefined, from: Resumption): boolean {
  return (stream?.resumption?.().lastEventId ?? from.lastEventId) !== undefined;
}

/** A connection that breaks ends the messages where they can be taken up. */
async function* untilBroken(
  messages: AsyncIterable<UpstreamMessage>,
  isResumable: () => boolean,
): AsyncGenerator<UpstreamMessage, void, undefined> {
  try {
    yield* messages;
  } catch (cause) {
    const isBroken = cause instanceof UpstreamFailure && cause.reason === "broken_off";
    if (!isBroken || !isResumable()) throw cause;
  }
}

/**
 * Undefined: the upstream cannot be reached now, and is tried again. Its refusals say nothing of the request, which it has
 * taken long ago: whoever heard of them would send it once more.
 */
async function reopen(lastEventId: string, target: WireTarget): Promise<Messages | undefined> {
  try {
    const answer = await openUpstreamStream({ ...target, lastEventId });
    if (answer.kind === "messages") return answer;
    if (answer.kind === "none" || !isPassing(answer.status)) throw brokenOff();
  } catch (cause) {
    if (!(cause instanceof UpstreamFailure && WITHOUT_ANSWER.has(cause.reason))) throw cause;
  }
  return undefined;
}

const WITHOUT_ANSWER: ReadonlySet<UpstreamFailureReason> = new Set(["unreachable", "unanswered"]);

function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Resolves so many milliseconds later. @throws UpstreamFailure `aborted` when the signal aborts before */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const giveUp = (): void => over.reject(aborted());
  const timer = setTimeout(over.resolve, milliseconds);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    await over.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
