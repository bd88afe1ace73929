/** One HTTP request of a client, and how it was answered. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** The JSON-RPC method of a POST. */
  readonly rpc: string | undefined;
  readonly status: number;
  readonly contentType: string;
  /** Whether the server has ended its answer. */
  isEnded: boolean;
}

export interface RecordedFetch {
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  /** In the order of the answers' headers. */
  readonly exchanges: readonly Exchange[];
}

/** The real `fetch`, which notes what went through it. */
export function recordedFetch(): RecordedFetch {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const exchange = {
        method: init?.method ?? "GET",
        url: new URL(input),
        headers: new Headers(init?.headers),
        rpc: rpcMethod(init?.body),
        status: response.status,
        contentType: response.headers.get("content-type") ?? "",
        isEnded: response.body === null,
      };
      exchanges.push(exchange);
      if (response.body === null) return response;
      const flush = () => {
        exchange.isEnded = true;
      };
      const body = response.body.pipeThrough(new TransformStream({ flush }));
      const { status, statusText, headers } = response;
      return new Response(body, { status, statusText, headers });
    },
  };
}

function rpcMethod(body: unknown): string | undefined {
  if (typeof body !== "string" || !body.startsWith("{")) return undefined;
  return (JSON.parse(body) as { readonly method?: string }).method;
}
