import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Application } from "../../../functions/routes.ts";
import type { HttpConfiguration } from "../../../lib/config/configuration.ts";
import type { Dependencies } from "../../../lib/dependencies.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import { StartupError } from "../startup-error.ts";
import { answerClientErrors } from "./client-errors.ts";
import { type OwnAnswers, type OwnRefusal, ownAnswers } from "./own-answer.ts";

/** Bounds of one request: bytes of its headers, bytes it may announce as body, and milliseconds to send it. */
const LIMITS = {
  headerBytes: 16 * 1024,
  bodyBytes: 8 * 1024 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  /** Milliseconds between two looks at the timeouts. */
  checkInterval: 5_000,
};
const IDLE_POLL = 50;

export interface HttpServer {
  /** Stops accepting, lets running requests finish and cuts off those that do not within the time, milliseconds. */
  drain(within: number): Promise<void>;
}

/** What listening needs besides the address. */
export interface Listener {
  readonly application: Application;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** For what is refused before the application sees it. */
  readonly dependencies: Pick<Dependencies, "clock" | "random" | "logger">;
  readonly publicURL: string;
  readonly limits?: Partial<typeof LIMITS>;
}

/** Serves the application. Rejects with `StartupError` when it cannot listen. */
export async function listen({ host, port }: HttpConfiguration, listener: Listener): Promise<HttpServer> {
  const limits = { ...LIMITS, ...listener.limits };
  const answers = ownAnswers(listener.dependencies, listener.publicURL, limits);
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    // Answered like every other malformed request, below.
    requireHostHeader: false,
  };
  const latest = new WeakMap<Duplex, ServerResponse>();
  const answer = applicationListener(listener, answers);
  const server = createServer(options, (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    if (tooLarge(incoming, limits.bodyBytes)) refuse("body_too_large", "announced body", incoming, outgoing);
    else answer(incoming, outgoing);
  });
  const refuse = (refusal: OwnRefusal, cause: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { status, headers, body } = answers(refusal, { cause, remoteAddress: incoming.socket.remoteAddress });
    outgoing.writeHead(status, headers).end(body);
  };
  server.on("checkExpectation", (incoming, outgoing) => {
    latest.set(incoming.socket, outgoing);
    refuse("expectation_failed", "unknown expectation", incoming, outgoing);
  });
  answerClientErrors(server, latest, answers);
  await listening(server, host, port);
  return { drain: (within) => drain(server, within) };
}

function applicationListener({ application, waitUntil }: Listener, answers: OwnAnswers): RequestListener {
  return getRequestListener(
    (request, { incoming }) => application(request, { remoteAddress: incoming.socket.remoteAddress, waitUntil }),
    { errorHandler: (error) => refuseRequest(error, answers) },
  );
}

/** Mostly a request whose target or `Host` makes no URL: the application answers its own errors. */
function refuseRequest(error: unknown, answers: OwnAnswers): Response {
  const refusal = error instanceof RequestError ? "malformed_request" : "internal";
  const { status, headers, body } = answers(refusal, { cause: causeOf(error) });
  return new Response(body, { status, headers });
}

/** Endpoints have closer limits of their own; this one spares them the reading. */
function tooLarge(incoming: IncomingMessage, limit: number): boolean {
  return Number(incoming.headers["content-length"] ?? 0) > limit;
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
