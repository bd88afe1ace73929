import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Application } from "../../../functions/routes.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { HttpConfiguration, TlsConfiguration } from "../../../lib/config/configuration.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import { StartupError } from "../startup-error.ts";
import { type ApplicationOptions, applicationListener, type RemoteAddressOf, remoteAddressOf } from "./application.ts";
import { watchArrivals } from "./arrivals.ts";
import { trackConnections } from "./connections.ts";
import { drain } from "./drain.ts";
import { answerClientErrors, answerHandshakeErrors, ownAnswers } from "./own-answers.ts";
import { answerRequests, type RequestOptions } from "./requests.ts";
import { openTlsListener, type TlsListener } from "./tls/listener.ts";
import { answerUpgrades, type IsOfWebApp, isUpgrade } from "./upgrade.ts";

export interface HttpServer {
  /**
   * Stops accepting, lets running requests finish and cuts off those that do not within the time, milliseconds.
   * @returns how many were cut off
   */
  drain(within: number): Promise<number>;
}

/** Bounds of one request and of its connection; times in milliseconds. */
interface Limits {
  /** Bytes of the request line and the headers together. */
  readonly headerBytes: number;
  /** Bytes that a request may announce as its body; asked with each. */
  readonly bodyBytes: () => number;
  /** For a TLS handshake. */
  readonly handshakeTimeout: number;
  /** For the headers to arrive. */
  readonly headersTimeout: number;
  /** For the body of a request to arrive; for silence in a body that is carried on, and of a client that does not take one. */
  readonly requestTimeout: number;
  /** For the next request of a connection. */
  readonly keepAliveTimeout: number;
  /** Between two looks at the timeouts. */
  readonly checkInterval: number;
  /** Between two looks whether certificate files changed. */
  readonly certificateInterval: number;
}

/** More than any endpoint of ours takes. */
export const BODY_BYTES: number = 4 * 1024 * 1024;

const LIMITS: Limits = {
  headerBytes: 16 * 1024,
  bodyBytes: () => BODY_BYTES,
  handshakeTimeout: 15_000,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Longer than the minute of load balancers: the server must not be the first to close an idle connection.
  keepAliveTimeout: 75_000,
  checkInterval: 5_000,
  certificateInterval: 5_000,
};

/** What listening needs besides the address. */
export interface Listener {
  readonly application: Application;
  /** Where WebSockets are; absent: nowhere. */
  readonly isOfWebApp?: IsOfWebApp;
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** For what is refused before the application sees it. */
  readonly dependencies: Pick<Dependencies, "clock" | "random" | "logger">;
  readonly publicURL: string;
  /** Entries of `tls`, by name. */
  readonly tls?: Readonly<Record<string, TlsConfiguration>>;
  readonly limits?: Partial<Limits>;
  /** The other processes of the server. Absent: there are none. */
  readonly handover?: Handover | undefined;
}

/** Requests that another process of the server has to answer, and those that others hand over. */
export interface Handover {
  /** Begins to take the latter. */
  take(serve: RequestListener): Promise<void>;
  /** Who sends one of them. */
  readonly remoteAddress: RemoteAddressOf;
  /** Has another process answer; false: it is for this one. */
  give(incoming: IncomingMessage, outgoing: ServerResponse, to: GivenTo): boolean;
}

export interface GivenTo {
  readonly remoteAddress: string | undefined;
  /** Answers where the other process is not there. */
  readonly refuse: (cause: string) => void;
  /** The answer is an event stream. */
  readonly streams: () => void;
}

/** Serves the application. Rejects with `StartupError` when it cannot listen, or a file for TLS cannot be used. */
export async function listen(http: HttpConfiguration, listener: Listener): Promise<HttpServer> {
  const { dependencies, application, waitUntil, publicURL } = listener;
  const limits = { ...LIMITS, ...listener.limits };
  const tls = openTlsListener(http, listener.tls ?? {}, dependencies);
  const server = createServer(limits, tls, listener.isOfWebApp);
  const connections = trackConnections(server);
  const upgrades = answerUpgrades(server, connections);
  const answers = ownAnswers(dependencies, publicURL, limits);
  const arrivals = watchArrivals(server, limits.requestTimeout);
  const remoteAddress = remoteAddressOf(http.trustedProxies, (peer) =>
    dependencies.logger.warn(UNTRUSTED_PROXY, { remoteAddress: peer ?? "" }),
  );
  const silence = limits.requestTimeout;
  const serve = applicationListener({
    application,
    waitUntil,
    answers,
    connections,
    remoteAddress,
    arrivals,
    silence,
    upgrades,
  });
  answerRequests(server, givingOver(serve, listener.handover, { connections, answers, remoteAddress }), {
    connections,
    answers,
    remoteAddress,
    arrivals,
    bodyBytes: limits.bodyBytes,
  });
  answerClientErrors(server, connections, answers);
  answerHandshakeErrors(server, connections, answers, dependencies);
  await takeHandedOver(listener, { connections, answers, arrivals, silence });
  await listening(server, http.host, http.port);
  // A connection that could not be accepted, for example for lack of file descriptors, affects no other.
  server.on("error", (error) => dependencies.logger.error("a connection was lost", { cause: causeOf(error) }));
  return { drain: (within) => drain(server, connections, within) };
}

/** Requests of neighbours are served as those of clients, whose address the neighbour says. */
async function takeHandedOver(
  { application, waitUntil, handover }: Listener,
  ports: Pick<ApplicationOptions, "connections" | "answers" | "arrivals" | "silence">,
): Promise<void> {
  if (handover === undefined) return;
  const { remoteAddress, take } = handover;
  await take(applicationListener({ application, waitUntil, remoteAddress, ...ports }));
}

function givingOver(
  serve: RequestListener,
  handover: Handover | undefined,
  { connections, answers, remoteAddress: addressOf }: Pick<RequestOptions, "connections" | "answers" | "remoteAddress">,
): RequestListener {
  if (handover === undefined) return serve;
  return (incoming, outgoing) => {
    const remoteAddress = addressOf(incoming);
    const refuse = (cause: string): void => {
      const { method, url = "" } = incoming;
      const path = url.split("?", 1)[0];
      const { status, headers, body } = answers("unavailable", { cause, remoteAddress, method, path });
      outgoing.writeHead(status, { ...headers, "Retry-After": "1" }).end(body);
    };
    const streams = () => void connections.streams.add(outgoing);
    if (!handover.give(incoming, outgoing, { remoteAddress, refuse, streams })) serve(incoming, outgoing);
  };
}

const UNTRUSTED_PROXY =
  "http.trustedProxies is empty, and a request has X-Forwarded-For or Forwarded: if this address is a proxy, limits and records take it for the client";

function createServer(limits: Limits, tls: TlsListener | undefined, isOfWebApp: IsOfWebApp = () => false): Server {
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    // Of bodies that are carried on, no length of time is too long: `watchArrivals` tells them apart.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    // Answered like every other malformed request.
    requireHostHeader: false,
    shouldUpgradeCallback: (incoming: IncomingMessage) => isUpgrade(incoming, isOfWebApp),
  };
  if (tls === undefined) return createHttpServer(options);
  const { handshakeTimeout, certificateInterval } = limits;
  const server = createHttpsServer({ ...options, ...tls.options, handshakeTimeout });
  tls.attach(server, certificateInterval);
  return server;
}

/** Resolves when the server listens. Rejects with `StartupError` when it cannot. */
function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new StartupError(listenFailure(error, host, port), { cause: error }));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.removeListener("error", fail);
      resolve();
    });
  });
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): string {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
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
