import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { agentSuppliedFetch } from "../../infra/node/net/agent-supplied.ts";
import { createAuthority } from "./certificates.ts";

/** A public address, so that names that resolve to it are asked; nothing is ever sent there. */
export const PUBLIC_ADDRESS = "93.184.215.14";

/** What the server answers at a path: a JSON document, or whatever else. */
export type Served = object | ((request: IncomingMessage, response: ServerResponse) => void);

/** An HTTPS server on loopback that stands for servers of strangers, with certificates of its own authority. */
export interface DocumentServer {
  readonly port: number;
  /** Its authority's certificate, PEM. */
  readonly ca: string;
  /** Hosts and paths of the requests so far. */
  readonly requests: readonly string[];
  /** Connections so far, also those without a request. */
  connections(): number;
  serve(url: string, served: Served): void;
  /** `agentSuppliedFetch` of Node whose connections end here, after every check, for the names of the certificate. */
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export async function openDocumentServer(names: readonly string[] = ["agent.example"]): Promise<DocumentServer> {
  const authority = createAuthority();
  const served = new Map<string, Served>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer(authority.issue({ names }), (request, response) => {
    const url = `https://${request.headers.host}${request.url}`;
    requests.push(url);
    answer(served.get(url), request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    ca: authority.cert,
    requests,
    connections: () => connections,
    serve: (url, what) => void served.set(url, what),
    fetch: agentSuppliedFetch({
      resolve: async () => [PUBLIC_ADDRESS],
      connectTo: { host: "127.0.0.1", port },
      ca: authority.cert,
    }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
    },
  };
}

function answer(served: Served | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (typeof served === "function") served(request, response);
  else if (served === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(served));
}
