import { once } from "node:events";
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";

/** A request as a vendor's server sees it. */
export interface VendorRequest {
  readonly method: string;
  readonly url: URL;
  /** The path as it was written, not decoded. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** The common name of the client's certificate. */
  readonly certifiedAs: string | undefined;
}

export type VendorHandler = (request: VendorRequest) => Response | Promise<Response>;

/** An HTTP server on loopback that stands in for a vendor's service. */
export interface VendorServer {
  readonly port: number;
  /** What was asked, `GET /path`, the oldest first. */
  readonly asked: readonly string[];
  /** Answers in place of the handler as long as it is set and gives a response. */
  before: ((request: VendorRequest) => Response | Promise<Response> | undefined) | undefined;
  close(): Promise<void>;
}

/** Serves with TLS when options for it are given. */
export async function startVendorServer(handler: VendorHandler, tls?: ServerOptions): Promise<VendorServer> {
  const asked: string[] = [];
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = await readRequest(incoming);
    asked.push(`${request.method} ${request.path}`);
    const response = await (vendor.before?.(request) ?? handler(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  };
  const server = tls === undefined ? createPlainServer(answer) : createServer(tls, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const vendor: VendorServer = {
    port: (server.address() as AddressInfo).port,
    asked,
    before: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return vendor;
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers });
}

/** Answers once, then lets the handler answer again. */
export function onceOn(vendor: VendorServer, path: string, response: Response): void {
  vendor.before = (request) => {
    if (!request.path.startsWith(path)) return undefined;
    vendor.before = undefined;
    return response;
  };
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = "", url = "/", headers, socket } = incoming;
  const certificate = (socket as Partial<TLSSocket>).getPeerCertificate?.();
  return {
    method,
    url: new URL(url, "https://vendor.example"),
    path: url,
    headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks).toString(),
    certifiedAs: certificate?.subject?.CN?.toString(),
  };
}
