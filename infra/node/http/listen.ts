import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Application } from "../../../functions/routes.ts";
import type { HttpConfiguration, TlsConfiguration } from "../../../lib/config/configuration.ts";
import type { Dependencies } from "../../../lib/dependencies.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import { listening } from "./address.ts";
import { applicationListener, remoteAddressOf } from "./application.ts";
import { answerClientErrors } from "./client-errors.ts";
import { trackConnections } from "./connections.ts";
import { drain } from "./drain.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { ownAnswers } from "./own-answer.ts";
import { answerRequests } from "./requests.ts";
import { answerHandshakeErrors } from "./tls/handshake-errors.ts";
import { openTlsListener, type TlsListener } from "./tls/listener.ts";

export interface HttpServer {
  /**
   * Stops accepting, lets running requests finish and cuts off those that do not within the time, milliseconds.
   * @returns how many were cut off
   */
  drain(within: number): Promise<number>;
}

/** What listening needs besides the address. */
export interface Listener {
  readonly application: Application;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** For what is refused before the application sees it. */
  readonly dependencies: Pick<Dependencies, "clock" | "random" | "logger">;
  readonly publicURL: string;
  /** Entries of `tls`, by name. */
  readonly tls?: Readonly<Record<string, TlsConfiguration>>;
  readonly limits?: Partial<Limits>;
}

/** Serves the application. Rejects with `StartupError` when it cannot listen, or a file for TLS cannot be used. */
export async function listen(http: HttpConfiguration, listener: Listener): Promise<HttpServer> {
  const { dependencies, application, waitUntil, publicURL } = listener;
  const limits = { ...LIMITS, ...listener.limits };
  const tls = openTlsListener(http, listener.tls ?? {}, dependencies);
  const server = createServer(limits, tls);
  const connections = trackConnections(server);
  const answers = ownAnswers(dependencies, publicURL, limits);
  const remoteAddress = remoteAddressOf(http.trustedProxies);
  const serve = applicationListener({ application, waitUntil, answers, connections, remoteAddress });
  answerRequests(server, serve, { connections, answers, remoteAddress, bodyBytes: limits.bodyBytes });
  answerClientErrors(server, connections, answers);
  answerHandshakeErrors(server, connections, answers, dependencies);
  await listening(server, http.host, http.port);
  // A connection that could not be accepted, for example for want of file descriptors, ends nothing else.
  server.on("error", (error) => dependencies.logger.error("a connection was lost", { cause: causeOf(error) }));
  return { drain: (within) => drain(server, connections, within) };
}

function createServer(limits: Limits, tls: TlsListener | undefined): Server {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    // Answered like every other malformed request.
    requireHostHeader: false,
  };
  if (tls === undefined) return createHttpServer(options);
  const { handshakeTimeout, certificateInterval } = limits;
  const server = createHttpsServer({ ...options, ...tls.options, handshakeTimeout });
  tls.attach(server, certificateInterval);
  return server;
}
