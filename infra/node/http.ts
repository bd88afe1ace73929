import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Application } from "../../functions/routes.ts";
import type { HttpConfiguration } from "../../lib/config/configuration.ts";
import { StartupError } from "./startup-error.ts";

/** Bounds of one request: bytes of its headers, bytes it may announce as body, and milliseconds to send it. */
const LIMITS = { headerBytes: 16 * 1024, bodyBytes: 8 * 1024 * 1024, headersTimeout: 15_000, requestTimeout: 60_000 };
const IDLE_POLL = 50;

export interface HttpServer {
  /** Stops accepting, lets running requests finish and cuts off those that do not within the time, milliseconds. */
  drain(within: number): Promise<void>;
}

/** Serves the application. Rejects with `StartupError` when it cannot listen. */
export async function listen(
  { host, port }: HttpConfiguration,
  application: Application,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<HttpServer> {
  const { headerBytes, headersTimeout, requestTimeout } = LIMITS;
  const options = { maxHeaderSize: headerBytes, headersTimeout, requestTimeout };
  const server = createServer(options, requestListener(application, waitUntil));
  await listening(server, host, port);
  return { drain: (within) => drain(server, within) };
}

function requestListener(application: Application, waitUntil: (work: Promise<unknown>) => void): RequestListener {
  const answer = getRequestListener((request, { incoming }) =>
    application(request, { remoteAddress: incoming.socket.remoteAddress, waitUntil }),
  );
  return (incoming, outgoing) => (tooLarge(incoming) ? refuseBody(outgoing) : answer(incoming, outgoing));
}

/** Endpoints have closer limits of their own; this one spares them the reading. */
function tooLarge(incoming: IncomingMessage): boolean {
  return Number(incoming.headers["content-length"] ?? 0) > LIMITS.bodyBytes;
}

function refuseBody(outgoing: ServerResponse): void {
  outgoing.writeHead(413, { Connection: "close", "Cache-Control": "no-store" }).end();
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new StartupError(listenFailure(error, host, port), { cause: error })));
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): string {
  const address = `${host}:${port}`;
  switch (error.code) {
    case "EADDRINUSE":
      return `Cannot listen on ${address}: the port is in use by another process.`;
    case "EACCES":
      return `Cannot listen on ${address}: this user may not use the port.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `Cannot listen on ${address}: this machine does not have the address.`;
    default:
      return `Cannot listen on ${address}: ${error.code ?? error.message}.`;
  }
}

async function drain(server: Server, within: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_POLL);
  const cutOff = setTimeout(() => server.closeAllConnections(), within);
  await closed;
  clearInterval(idle);
  clearTimeout(cutOff);
}
