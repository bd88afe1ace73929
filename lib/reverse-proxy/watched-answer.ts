import { type BodyPieces, streamOf } from "../net/outbound.ts";
import { essence } from "../protocol/http/media-type.ts";
import type { Exchange } from "./exchange.ts";
import type { ForwardedAnswer } from "./forward.ts";

/** The answer of an exchange, which it ends, and by which it is ended. */
export function watchedAnswer(
  method: string,
  answer: ForwardedAnswer,
  limits: { readonly silence: number },
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
  return answerInPieces({ status, headers }, watched, () => streamOf(takenInTime(watched, silence.ofClient, exchange)));
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
  stream: () => ForwardedAnswer["body"] = () => streamOf(pieces),
): ForwardedAnswer {
  return new PiecewiseAnswer(status, headers, pieces, stream);
}

/** A class, as V8 makes a hidden class anew for each object literal with a getter, and keeps what the getter sees until a full collection. */
class PiecewiseAnswer implements ForwardedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly pieces: BodyPieces;
  readonly #stream: () => ForwardedAnswer["body"];

  constructor(status: number, headers: Headers, pieces: BodyPieces, stream: () => ForwardedAnswer["body"]) {
    this.status = status;
    this.headers = headers;
    this.pieces = pieces;
    this.#stream = stream;
  }

  get body(): ForwardedAnswer["body"] {
    return this.#stream();
  }
}

/** RFC 9110 §15.3.5, §15.3.6, §15.4.5. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

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
export const ON_DEMAND = { highWaterMark: 0 };

/**
 * Ends an answer that nobody reads. Whoever made the body has learned of the end by the signal; a body that cannot be cancelled has
 * ended already.
 */
export function discard({ pieces, body, socket }: ForwardedAnswer): void {
  socket?.destroy();
  const ended = pieces === undefined ? body?.cancel() : pieces.cancel();
  ended?.catch(() => undefined);
}
