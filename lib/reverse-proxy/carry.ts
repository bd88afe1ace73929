import { type BodyPieces, streamOf } from "../net/outbound.ts";
import { essence } from "../protocol/http/media-type.ts";
import type { Forward, ForwardedAnswer, ForwardedRequest } from "./forward.ts";

export interface CarryLimits {
  /** Milliseconds from the request's last byte to the answer's first. */
  readonly timeout: number;
  /** Milliseconds that one side may send nothing while the other waits for it, in the middle of a body. */
  readonly silence: number;
  /** Bytes of the request's body. */
  readonly maxBody: number;
}

export interface CarryPorts {
  readonly forward: Forward;
  /** The client's request. */
  readonly carried: Request;
}

/**
 * `unreachable`: no answer began. `malformed`: one began that is none of HTTP's. `client_left`: the client went away, or fell silent
 * in the middle of its body.
 */
export type CarryFailure = "unreachable" | "timeout" | "too_large" | "client_left" | "malformed";

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

function watchedAnswer(
  method: string,
  answer: ForwardedAnswer,
  limits: CarryLimits,
  exchange: Exchange,
): ForwardedAnswer {
  const { status, headers, pieces, socket } = answer;
  if (socket !== undefined) {
    // From now on whoever ties both sides together watches over them.
    exchange.end();
    return answer;
  }
  if (method === "HEAD" || WITHOUT_BODY.has(status) || (pieces === undefined && answer.body === null)) {
    discard(answer);
    exchange.end();
    return { status, headers, body: null };
  }
  const isEventStream = essence(headers.get("Content-Type")) === "text/event-stream";
  const silence = { ofUpstream: isEventStream ? undefined : limits.silence, ofClient: limits.silence };
  if (pieces === undefined)
    return { status, headers, body: answer.body && watchedBody(answer.body, silence, exchange) };
  const watched = watchedPieces(pieces, silence.ofUpstream, exchange);
  return {
    ...{ status, headers, pieces: watched },
    get body() {
      return streamOf(takenInTime(watched, silence.ofClient, exchange));
    },
  };
}

/** How long each side may be silent while the other waits for it, milliseconds; undefined: for ever. */
interface Silence {
  readonly ofUpstream: number | undefined;
  readonly ofClient: number;
}

/** The stream comes about when somebody asks for it. */
export function answerInPieces(
  { status, headers }: Pick<ForwardedAnswer, "status" | "headers">,
  pieces: BodyPieces,
): ForwardedAnswer {
  return {
    ...{ status, headers, pieces },
    get body() {
      return streamOf(pieces);
    },
  };
}

/** RFC 9110 §15.3.5, §15.3.6, §15.4.5. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Bytes, which take a second at most: to count them would cost more than it tells. */
const SHORT = 64 * 1024;

/** Bytes a millisecond (512 kbit/s): a body that cannot be seen on its way is given as long as this takes. */
const SLOWEST_UPLOAD = 64;

/** At most a day: timers cannot wait for a month. */
function uploadTime(length: number): number {
  return Math.min(length / SLOWEST_UPLOAD, 24 * 60 * 60_000);
}

/** One request and its answer. It ends once: whole, or broken off, and then both sides learn why. */
interface Exchange {
  /** Aborts when it is broken off, and only then. */
  readonly signal: AbortSignal;
  /** Something is to come within so many milliseconds, in place of what was expected before. */
  expect(milliseconds: number, otherwise: CarryFailure): void;
  /** Nothing is expected. */
  rest(): void;
  /** The same, of no effect once an answer began: then the answer alone is waited for. */
  expectUnanswered(milliseconds: number, otherwise: CarryFailure): void;
  /** An answer began. */
  answered(): void;
  /** The first reason counts. */
  breakOff(reason: CarryFailure, cause: unknown): void;
  /** The answer is whole. */
  end(): void;
  failure(): CarryOutcome;
}

function beginExchange(client: AbortSignal): Exchange {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reason: CarryFailure = "client_left";
  let answered = false;
  const rest = (): void => clearTimeout(timer);
  const end = (): void => {
    rest();
    client.removeEventListener("abort", leave);
  };
  const breakOff = (why: CarryFailure, cause: unknown): void => {
    if (signal.aborted) return;
    reason = why;
    end();
    controller.abort(cause);
  };
  const expect = (milliseconds: number, otherwise: CarryFailure): void => {
    rest();
    if (signal.aborted) return;
    timer = setTimeout(
      () => breakOff(otherwise, new DOMException("Nothing came, or nothing was taken.", "TimeoutError")),
      milliseconds,
    );
  };
  const leave = (): void => breakOff("client_left", client.reason);
  if (client.aborted) leave();
  else client.addEventListener("abort", leave, { once: true });
  return {
    ...{ signal, expect, rest, end, breakOff },
    expectUnanswered: (milliseconds, otherwise) => {
      if (!answered) expect(milliseconds, otherwise);
    },
    answered: () => {
      answered = true;
      rest();
    },
    failure: () => ({ kind: "failed", reason, cause: signal.reason }),
  };
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

/**
 * The answer's body. It ends the exchange, and is ended by it. The upstream is waited for while a chunk is asked for, and the
 * client while none is.
 */
function watchedBody(
  source: ReadableStream<Uint8Array>,
  silence: Silence,
  exchange: Exchange,
): ReadableStream<Uint8Array> {
  const { signal } = exchange;
  const reader = source.getReader();
  return new ReadableStream(
    {
      start: (controller) => {
        const breakOff = (): void => {
          controller.error(signal.reason);
          reader.cancel(signal.reason).catch(() => undefined);
        };
        if (signal.aborted) breakOff();
        else signal.addEventListener("abort", breakOff, { once: true });
        exchange.expect(silence.ofClient, "client_left");
      },
      pull: async (controller) => {
        if (silence.ofUpstream === undefined) exchange.rest();
        else exchange.expect(silence.ofUpstream, "timeout");
        const next = await reader.read().catch((cause: unknown) => exchange.breakOff("unreachable", cause));
        if (next === undefined || signal.aborted) return;
        exchange.expect(silence.ofClient, "client_left");
        if (!next.done) return controller.enqueue(next.value);
        exchange.end();
        controller.close();
      },
      cancel: (reason) => exchange.breakOff("client_left", reason),
    },
    ON_DEMAND,
  );
}

/** The same for pieces, whose source heeds the signal by itself. Whoever reads them sees their client take them, and is not watched. */
function watchedPieces(source: BodyPieces, silence: number | undefined, exchange: Exchange): BodyPieces {
  const { signal } = exchange;
  return {
    read: async () => {
      signal.throwIfAborted();
      if (silence !== undefined) exchange.expect(silence, "timeout");
      const piece = await source.read().catch((cause: unknown) => exchange.breakOff("unreachable", cause));
      exchange.rest();
      signal.throwIfAborted();
      if (piece === undefined) exchange.end();
      return piece as Uint8Array | undefined;
    },
    cancel: async () => exchange.breakOff("client_left", new Error("The answer is not read.")),
  };
}

/** The pieces of a client that is waited for while none is asked for. */
function takenInTime({ read, cancel }: BodyPieces, silence: number, exchange: Exchange): BodyPieces {
  exchange.expect(silence, "client_left");
  return {
    cancel,
    read: async () => {
      exchange.rest();
      const piece = await read();
      if (piece !== undefined) exchange.expect(silence, "client_left");
      return piece;
    },
  };
}

/** A chunk is asked for when it is read, and none ahead. */
const ON_DEMAND = { highWaterMark: 0 };

/** Whoever made the body has learned of the end by the signal; a body that cannot be cancelled has ended already. */
function discard({ pieces, body, socket }: ForwardedAnswer): void {
  socket?.destroy();
  const ended = pieces === undefined ? body?.cancel() : pieces.cancel();
  ended?.catch(() => undefined);
}
