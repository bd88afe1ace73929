import type { Duplex } from "node:stream";
import type { Dispatcher } from "undici";
import type { BodyPieces } from "../../../lib/net/outbound.ts";

/** A request under way. */
export interface Exchange<Answer> {
  readonly handler: Dispatcher.DispatchHandler;
  /** Once the headers are there. Rejects with a failure, or with the reason of the signal. */
  readonly answer: Promise<Answer>;
  /** It came to nothing. */
  readonly fail: (reason: unknown) => void;
}

/** What an answer and a failure look like to whoever asked. */
export interface Making<Answer> {
  /** @param pieces null: answers of this status have no body */
  readonly answer: (head: ExchangeHead, pieces: BodyPieces | null) => Answer;
  /** @param hasBegun the answer has, and breaks off */
  readonly failure: (cause: unknown, hasBegun: boolean) => Error;
}

export interface ExchangeHead {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The connection, where it speaks another protocol from now on. It has an answer's status 101. */
  readonly socket?: Duplex;
}

/** What undici calls what reads an answer by. */
type Controller = Dispatcher.DispatchController;

/** Bytes that are read ahead. A short answer is read completely and need not be paused. */
const AHEAD = 64 * 1024;

/** An answer whose body is read on demand, at most 64 KiB ahead. */
export function createExchange<Answer>(signal: AbortSignal | undefined, make: Making<Answer>): Exchange<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let exchange: Controller | undefined;
  let hasBegun = false;
  let hasBody = true;
  /** Nothing more comes of it: it has ended, failed, or is not read any more. */
  let isOver = false;
  let failure: { readonly reason: unknown } | undefined;
  let arrived: Uint8Array[] = [];
  let length = 0;
  let isPaused = false;
  let reading: PromiseWithResolvers<Uint8Array | undefined> | undefined;

  const onAbort = (): void => {
    const reason: unknown = signal?.reason;
    // What has come is of no use to whoever has gone.
    arrived = [];
    fail(reason);
    exchange?.abort(reason as Error);
  };
  const finish = (): boolean => {
    if (isOver) return false;
    isOver = true;
    signal?.removeEventListener("abort", onAbort);
    return true;
  };
  const fail = (reason: unknown): void => {
    if (!finish()) return;
    failure = { reason };
    reading?.reject(reason);
    reading = undefined;
    if (!hasBegun) reject(reason);
  };
  const handOver = (piece: Uint8Array | undefined): boolean => {
    if (reading === undefined) return false;
    reading.resolve(piece);
    reading = undefined;
    return true;
  };
  const next = (): Uint8Array | undefined => {
    const piece = arrived.shift();
    length -= piece?.length ?? 0;
    if (isPaused && length < AHEAD) {
      isPaused = false;
      exchange?.resume();
    }
    return piece;
  };
  const pieces = {
    read: (): Promise<Uint8Array | undefined> => {
      if (arrived.length > 0) return Promise.resolve(next());
      if (failure !== undefined) return Promise.reject(failure.reason);
      if (isOver) return Promise.resolve(undefined);
      reading = Promise.withResolvers();
      return reading.promise;
    },
    cancel: async (): Promise<void> => {
      arrived = [];
      const isCut = finish();
      handOver(undefined);
      if (isCut) exchange?.abort(new Error("The answer is not read."));
    },
  };

  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    answer: promise,
    fail,
    handler: {
      onRequestStart: (controller) => {
        exchange = controller;
        // While it waited for a connection there was nothing to abort.
        if (isOver) controller.abort(signal?.reason);
      },
      onRequestUpgrade: (_, status, headers, socket) => {
        // undici has taken its own listener off.
        socket.on("error", () => socket.destroy());
        if (!finish()) return void socket.destroy();
        hasBegun = true;
        resolve(make.answer({ status, headers, socket }, null));
      },
      onResponseStart: (_, status, headers) => {
        // Not yet the answer (RFC 9110 §15.2).
        if (isOver || status < 200) return;
        hasBegun = true;
        hasBody = !WITHOUT_BODY.has(status);
        resolve(make.answer({ status, headers }, hasBody ? pieces : null));
      },
      onResponseData: (controller, chunk) => {
        // undici has an empty one whenever it goes on.
        if (isOver || !hasBody || chunk.length === 0 || handOver(chunk)) return;
        arrived.push(chunk);
        length += chunk.length;
        if (length < AHEAD) return;
        isPaused = true;
        controller.pause();
      },
      onResponseEnd: () => {
        if (finish()) handOver(undefined);
      },
      onResponseError: (_, cause) => fail(make.failure(cause, hasBegun)),
    },
  };
}

/** Fetch standard, "null body status". */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
