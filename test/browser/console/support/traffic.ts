import type { BrowserContext, Request, Response } from "playwright-core";

/** A request of the browser with its answer, as texts. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** Method, URL, headers and body of the request. */
  readonly sent: string;
  /** Status, headers and body of the answer. */
  readonly received: string;
}

export interface Traffic {
  /** Everything so far, once all answers that have begun are read. */
  exchanges(): Promise<readonly Exchange[]>;
  /** Requests with this method to this path, query or not, so far. */
  count(method: string, path: string | RegExp): number;
}

/** Keeps all that the pages of a context send and receive. */
export function recordTraffic(context: BrowserContext): Traffic {
  const requests: Request[] = [];
  const reading: Promise<Exchange>[] = [];
  context.on("request", (request) => requests.push(request));
  context.on("response", (response) => {
    const exchange = exchangeOf(response);
    // Whoever asks for the exchanges is told. Nobody asks once the context is closed, which ends what is being read.
    exchange.catch(() => undefined);
    reading.push(exchange);
  });
  return {
    exchanges: () => Promise.all(reading),
    count: (method, path) => requests.filter((request) => request.method() === method && isAt(request, path)).length,
  };
}

async function exchangeOf(response: Response): Promise<Exchange> {
  const request = response.request();
  const [sent, received, body] = await Promise.all([
    request.allHeaders(),
    response.headersArray(),
    // A redirect has none, and of a page that was left nothing more arrives.
    response.text().catch(() => ""),
  ]);
  return {
    method: request.method(),
    url: request.url(),
    status: response.status(),
    sent: [request.method(), request.url(), JSON.stringify(sent), request.postData() ?? ""].join("\n"),
    received: [response.status(), JSON.stringify(received), body].join("\n"),
  };
}

function isAt(request: Request, path: string | RegExp): boolean {
  const { pathname } = new URL(request.url());
  return typeof path === "string" ? pathname === path : path.test(pathname);
}
