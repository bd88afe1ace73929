import type { Dispatcher } from "undici";
import { createExchange } from "./exchange.ts";

type Fetch = typeof globalThis.fetch;

/**
 * `fetch` on a dispatcher of undici for requests whose text is whole and which follow no redirect: the same as the platform's
 * own without its request and its copies, at half the CPU. Any other request is the platform's to make.
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
