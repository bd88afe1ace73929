import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** In the place of the service that the documentation server asks, which is on the internet. */
export interface Documentation {
  readonly url: string;
  /** Headers of the last request. */
  lastHeaders(): IncomingHttpHeaders;
  stop(): Promise<void>;
}

const LIBRARY = {
  id: "/honojs/hono",
  title: "Hono",
  description: "Web framework built on Web Standards",
  totalSnippets: 12,
  trustScore: 9,
  benchmarkScore: 90,
  versions: ["v4"],
};

export async function startDocumentation(): Promise<Documentation> {
  let headers: IncomingHttpHeaders = {};
  const server = createServer((request, response) => {
    headers = request.headers;
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://documentation");
    if (pathname === "/api/v2/libs/search")
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ results: [LIBRARY] }));
    if (pathname === "/api/v2/context")
      return response.writeHead(200, { "content-type": "text/plain" }).end(`About ${searchParams.get("query")}.`);
    return response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    lastHeaders: () => headers,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
