import { beginExchange, type CarryFailure, type Exchange } from "./exchange.ts";
import type { Forward, ForwardedAnswer, ForwardedRequest } from "./forward.ts";
import { discard, ON_DEMAND, watchedAnswer } from "./watched-answer.ts";

export interface CarryLimits {
  /** Milliseconds from the request's last byte to the answer's first. */
  readonly timeout: number;
  /** Milliseconds that one side may send nothing, or take nothing, while the other waits for it, in the middle of a body. */
  readonly silence: number;
  /** Bytes of the request's body. */
  readonly maxBody: number;
}

export interface CarryPorts {
  readonly forward: Forward;
  /** The client's request. */
  readonly carried: Request;
}

export type CarryOutcome =
  | { readonly kind: "answer"; readonly answer: ForwardedAnswer }
  /** `cause` is for the log alone: it may name the upstream's address. */
  | { readonly kind: "failed"; readonly reason: CarryFailure; readonly cause?: unknown };

/**
 * Carries one request to an upstream and begins its answer, which is then read chunk by chunk as the client takes it. What breaks
 * off after that breaks both sides off: an answer never looks whole that is not.
 *
 * Its body is counted on its way, so `body` is not that of `carried` any more. One of a declared length is passed on as it is where
 * it is short, or `forward` takes the runtime's own streams: it cannot be seen on its way then, and has the time that its length takes.
 */
export async function carry(
  request: ForwardedRequest,
  limits: CarryLimits,
  { forward, carried }: CarryPorts,
): Promise<CarryOutcome> {
  if ((request.length ?? 0) > limits.maxBody) return { kind: "failed", reason: "too_large" };
  const exchange = beginExchange(request.signal);
  if (exchange.signal.aborted) return exchange.failure();
  const { body, length } = request;
  const isPassedOn = length !== undefined && (length <= SHORT || forward.takesOwnStreams === true);
  const isCounted = body !== null && !isPassedOn;
  exchange.expect(limits.timeout + (isPassedOn ? uploadTime(length) : 0), "timeout");
  const sent = isCounted ? { ...request, body: countedBody(body, limits, exchange) } : request;
  try {
    const answer = await answerTo(async () => forward({ ...sent, signal: exchange.signal }, carried), exchange);
    exchange.answered();
    return { kind: "answer", answer: watchedAnswer(request.method, answer, limits, exchange) };
  } catch (cause) {
    exchange.breakOff(isMalformed(cause) ? "malformed" : "unreachable", cause);
    return exchange.failure();
  }
}

/** Bytes, which take a second at most: to count them would cost more than it tells. */
const SHORT = 64 * 1024;

/** Bytes a millisecond (512 kbit/s): a body that cannot be seen on its way is given as long as this takes. */
const SLOWEST_UPLOAD = 64;

/** At most a day: timers cannot wait for a month. */
function uploadTime(length: number): number {
  return Math.min(length / SLOWEST_UPLOAD, 24 * 60 * 60_000);
}

/** @throws what broke the exchange off, or what `Forward` throws */
async function answerTo(send: () => Promise<ForwardedAnswer>, { signal }: Exchange): Promise<ForwardedAnswer> {
  const broken = Promise.withResolvers<never>();
  const giveUp = (): void => broken.reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  const coming = send();
  // An answer that comes all the same is nobody's.
  coming.then(
    (answer) => signal.aborted && discard(answer),
    () => undefined,
  );
  try {
    const answer = await Promise.race([coming, broken.promise]);
    const isSocket = answer.status === 101 && answer.socket !== undefined;
    if (!isSocket && (answer.status < 200 || answer.status > 599)) {
      discard(answer);
      throw new MalformedAnswerError(`The answer's status is ${answer.status}.`);
    }
    return answer;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

class MalformedAnswerError extends Error {}

/** What Node cannot read it names so, at most a few causes deep; Workers tell nothing of the kind. */
function isMalformed(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof MalformedAnswerError || at.name === "HTTPParserError" || at.name === "HeadersOverflowError")
      return true;
  }
  return false;
}

/**
 * The request's body, up to its limit. The time to the answer begins anew with each chunk: what it measures is the upstream, and
 * while the client is waited for, the client. Nobody else reads of the body meanwhile. When the exchange is broken off, what is left
 * of it is free for its server to discard; cancelling it could cut the connection that the answer goes to.
 */
function countedBody(
  source: ReadableStream<Uint8Array>,
  { timeout, silence, maxBody }: CarryLimits,
  exchange: Exchange,
): ReadableStream<Uint8Array> {
  let length = 0;
  const read = heldReader(source, exchange.signal);
  return new ReadableStream(
    {
      pull: async (controller) => {
        exchange.expectUnanswered(silence, "client_left");
        const next = await read().catch((cause: unknown) => {
          exchange.breakOff("client_left", cause);
          throw cause;
        });
        exchange.expectUnanswered(timeout, "timeout");
        if (next.done) return controller.close();
        length += next.value.byteLength;
        if (length <= maxBody) return controller.enqueue(next.value);
        const cause = new Error(`The request's body is longer than ${maxBody} bytes.`);
        exchange.breakOff("too_large", cause);
        throw cause;
      },
    },
    ON_DEMAND,
  );
}

/** Reads, and lets go of the stream when the signal aborts: after a read that waits then, since runtimes differ in what becomes of it. */
function heldReader(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): () => Promise<ReadableStreamReadResult<Uint8Array>> {
  const reader = source.getReader();
  let isReading = false;
  const letGo = (): void => {
    if (!isReading && signal.aborted) reader.releaseLock();
  };
  signal.addEventListener("abort", letGo, { once: true });
  return async () => {
    isReading = true;
    try {
      return await reader.read();
    } finally {
      isReading = false;
      letGo();
    }
  };
}
