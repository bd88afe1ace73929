import type { Dispatcher } from "undici";
import { type AnswerHead, answerOf } from "./dispatched-answer.ts";

type Fetch = typeof globalThis.fetch;

/**
 * `fetch` on a dispatcher of undici, for requests whose body is a text and which follow no redirect. It avoids the request
 * object, the streams and the copies of the platform's `fetch`, and needs half the CPU. The platform makes all other requests.
 */
export function dispatchedFetch(dispatcher: Dispatcher, platform: Fetch): Fetch {
  const target = lastTarget();
  return async (input, init) => {
    const text = init === undefined ? undefined : textOf(init);
    if (init === undefined || text === undefined || init.redirect !== "manual" || typeof input !== "string")
      return platform(input, init);
    const { signal } = init;
    signal?.throwIfAborted();
    const { origin, path } = target(input);
    const exchange = createExchange(input, signal ?? undefined);
    const options: Dispatcher.DispatchOptions = {
      origin,
      path,
      method: (init.method ?? "GET") as Dispatcher.HttpMethod,
      headers: headersOf(init.headers, text),
      body: text,
    };
    try {
      dispatcher.dispatch(options, exchange.handler);
    } catch (cause) {
      exchange.fail(new TypeError("fetch failed", { cause }));
    }
    return exchange.response;
  };
}

/** The body as a text, null for none; undefined: it is something else. */
function textOf({ body = null }: RequestInit): string | null | undefined {
  return typeof body === "string" || body === null ? body : undefined;
}

/** Parses a URL, unless it is the last one again: most requests go to the same. */
function lastTarget(): (url: string) => { readonly origin: string; readonly path: string } {
  let last = { url: "", origin: "", path: "" };
  return (url) => {
    if (url === last.url) return last;
    const { origin, pathname, search } = new URL(url);
    last = { url, origin, path: pathname + search };
    return last;
  };
}

/** With those that `fetch` adds and servers look at. */
function headersOf(headers: RequestInit["headers"], body: string | null): Record<string, string> {
  const all: Record<string, string> = { accept: "*/*", "user-agent": "node", "accept-encoding": "gzip" };
  for (const [name, value] of entriesOf(headers)) all[name.toLowerCase()] = value.replace(AROUND, "");
  if (body !== null) all["content-type"] ??= "text/plain;charset=UTF-8";
  return all;
}

/** What `fetch` takes away around a value (Fetch standard, "normalize a byte sequence"). */
const AROUND = /^[\t\n\r ]+|[\t\n\r ]+$/g;

function entriesOf(headers: RequestInit["headers"] = {}): Iterable<readonly [string, string]> {
  return Symbol.iterator in headers ? (headers as Headers) : Object.entries(headers);
}

/** A request under way. */
interface Exchange {
  readonly handler: Dispatcher.DispatchHandler;
  /** Its answer once the headers are there. Rejects as `fetch` does. */
  readonly response: Promise<Response>;
  /** It came to nothing. */
  readonly fail: (reason: unknown) => void;
}

/** What undici calls what reads an answer by. */
type Controller = Dispatcher.DispatchController;

/** Bytes that are read ahead. A short answer is read completely and need not be paused. */
const AHEAD = 64 * 1024;

/** An answer whose body is read on demand, at most 64 KiB ahead. */
function createExchange(url: string, signal: AbortSignal | undefined): Exchange {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
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
    response: promise,
    fail,
    handler: {
      onRequestStart: (controller) => {
        exchange = controller;
        // While it waited for a connection there was nothing to abort.
        if (isOver) controller.abort(signal?.reason);
      },
      onResponseStart: (_, status, headers) => {
        // Not yet the answer (RFC 9110 §15.2).
        if (isOver || status < 200) return;
        hasBegun = true;
        const head: AnswerHead = { url, status, headers };
        hasBody = !WITHOUT_BODY.has(status);
        resolve(answerOf(head, hasBody ? pieces : null));
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
      onResponseError: (_, cause) => fail(new TypeError(hasBegun ? "terminated" : "fetch failed", { cause })),
    },
  };
}

/** Fetch standard, "null body status". */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
