import type { Dispatcher } from "undici";

type Fetch = typeof globalThis.fetch;

/**
 * `fetch` on a dispatcher of undici, for requests whose body is a text and which follow no redirect. It avoids the request
 * object and the copies of the platform's `fetch`, and needs half the CPU. The platform makes all other requests.
 */
export function dispatchedFetch(dispatcher: Dispatcher, platform: Fetch): Fetch {
  return async (input, init) => {
    const text = init === undefined ? undefined : textOf(init);
    if (init === undefined || text === undefined || init.redirect !== "manual" || typeof input !== "string")
      return platform(input, init);
    const { signal } = init;
    signal?.throwIfAborted();
    const { origin, pathname, search } = new URL(input);
    const exchange = createExchange(input, signal ?? undefined);
    const options: Dispatcher.DispatchOptions = {
      origin,
      path: pathname + search,
      method: (init.method ?? "GET") as Dispatcher.HttpMethod,
      headers: headersOf(init.headers),
      body: text,
    };
    try {
      dispatcher.dispatch(options, exchange.handler);
    } catch (cause) {
      throw new TypeError("fetch failed", { cause });
    }
    return exchange.response;
  };
}

/** The body as a text, null for none; undefined: it is something else. */
function textOf({ body = null }: RequestInit): string | null | undefined {
  return typeof body === "string" || body === null ? body : undefined;
}

/** With those that `fetch` adds and servers look at. */
function headersOf(headers: RequestInit["headers"]): Record<string, string> {
  const given = headers instanceof Headers ? headers : new Headers(headers);
  return { accept: "*/*", "user-agent": "node", "accept-encoding": "gzip", ...Object.fromEntries(given) };
}

/** A request under way. */
interface Exchange {
  readonly handler: Dispatcher.DispatchHandler;
  /** Its answer once the headers are there. Rejects as `fetch` does. */
  readonly response: Promise<Response>;
}

/** What undici calls what reads an answer by. */
type Controller = Dispatcher.DispatchController;

/** An answer whose body is read on demand, at most 64 KiB ahead. */
function createExchange(url: string, signal: AbortSignal | undefined): Exchange {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let exchange: Controller | undefined;
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  let isOver = false;

  const onAbort = (): void => {
    fail(signal?.reason);
    exchange?.abort(signal?.reason);
  };
  const finish = (): boolean => {
    if (isOver) return false;
    isOver = true;
    signal?.removeEventListener("abort", onAbort);
    return true;
  };
  const fail = (reason: unknown): void => {
    if (!finish()) return;
    body?.error(reason);
    reject(reason);
  };
  const open = (): ReadableStream<Uint8Array> =>
    new ReadableStream<Uint8Array>(
      {
        start: (started) => {
          body = started;
        },
        pull: () => exchange?.resume(),
        cancel: (reason) => {
          if (finish()) exchange?.abort(reason instanceof Error ? reason : new Error("The answer is not read."));
        },
      },
      AHEAD,
    );

  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    response: promise,
    handler: {
      onRequestStart: (controller) => {
        exchange = controller;
        // While it waited for a connection there was nothing to abort.
        if (isOver) controller.abort(signal?.reason);
      },
      onResponseStart: (_, status, headers) => {
        // Not yet the answer (RFC 9110 §15.2).
        if (isOver || status < 200) return;
        resolve(responseOf(url, status, headers, WITHOUT_BODY.has(status) ? null : open()));
      },
      onResponseData: (controller, chunk) => {
        // undici has an empty one whenever it goes on.
        if (isOver || body === undefined || chunk.length === 0) return;
        body.enqueue(new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength));
        if ((body.desiredSize ?? 0) <= 0) controller.pause();
      },
      onResponseEnd: () => {
        if (finish()) body?.close();
      },
      onResponseError: (_, cause) => fail(new TypeError(body === undefined ? "fetch failed" : "terminated", { cause })),
    },
  };
}

/** Bytes that are read ahead. A short answer is read completely and need not be paused. */
const AHEAD = new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 });

/** Fetch standard, "null body status". */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function responseOf(
  url: string,
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: ReadableStream<Uint8Array> | null,
): Response {
  const all = new Headers();
  for (const [name, value = []] of Object.entries(headers)) for (const one of [value].flat()) all.append(name, one);
  const coding = all.get("content-encoding")?.trim().toLowerCase();
  const isCompressed = body !== null && (coding === "gzip" || coding === "x-gzip");
  const response = new Response(isCompressed ? body.pipeThrough(gunzip()) : body, { status, headers: all });
  // Answers that are made have none.
  Object.defineProperty(response, "url", { value: url });
  return response;
}

function gunzip(): ReadableWritablePair<Uint8Array, Uint8Array> {
  return new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>;
}
