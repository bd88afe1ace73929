import type { Dispatcher } from "undici";
import { answerOf } from "./dispatched-answer.ts";
import { createExchange } from "./exchange.ts";

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
    const exchange = createExchange<Response>(signal ?? undefined, {
      answer: (answered, pieces) => answerOf({ url: input, ...answered }, pieces),
      failure: (cause, hasBegun) => new TypeError(hasBegun ? "terminated" : "fetch failed", { cause }),
    });
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
    return exchange.answer;
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
