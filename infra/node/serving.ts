import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { Background } from "../background.ts";
import type { Closer } from "./closing.ts";
import type { OtherProcesses } from "./deployment.ts";
import type { OtherUsage } from "./heartbeat.ts";
import { BODY_BYTES, type HttpServer, listen } from "./http/listen.ts";
import { startMaintenance } from "./maintenance.ts";
import type { Worker } from "./workers/worker.ts";

/** How long running requests, and after them work in the background, may take when the server stops, milliseconds. */
export const DRAIN_TIMEOUT = 10_000;
/** How long anything else may take to close, milliseconds. */
export const CLOSE_TIMEOUT = 5_000;

/** What answers requests: this process, or workers. */
export interface Serving {
  /** Ends what it does by itself. */
  stop(): void;
  /** Of other processes that serve. */
  readonly otherUsage?: OtherUsage;
  /** Has the other processes use another configuration. Never rejects: one that cannot is started anew with it. */
  readonly takeOver?: OtherProcesses["takeOver"];
  /** What comes first when the server stops. */
  readonly closers: readonly Closer[];
}

/** Answers requests in this process: a server with one, or a worker of several. */
export async function serveHere(
  configuration: Configuration,
  dependencies: Dependencies,
  waitUntil: Background["waitUntil"],
  worker: Worker | undefined,
): Promise<Serving> {
  const { http, tls, publicURL } = configuration;
  const { logger } = dependencies;
  // Not loaded where other processes serve.
  const { application } = await import("../../functions/routes.ts");
  const serve = application(dependencies);
  const handover = worker?.handover(() => dependencies.configuration().configuration, { ...dependencies, waitUntil });
  const { isOfWebApp } = serve;
  const limits = { bodyBytes: () => Math.max(BODY_BYTES, serve.longestBody()) };
  const listener = { application: serve, isOfWebApp, waitUntil, dependencies, publicURL, tls, handover, limits };
  const server = await listen(http, listener);
  await worker?.listening();
  const maintenance = startMaintenance(serve);
  const within = DRAIN_TIMEOUT + CLOSE_TIMEOUT;
  return {
    stop: maintenance.stop,
    closers: [{ name: "listener", within, close: () => drain(server, logger) }],
  };
}

/** The other workers may need this one until they have answered everything. */
export function neighboursCloser(worker: Worker): Closer {
  const close = async (): Promise<void> => {
    await worker.drained();
    worker.neighbours.close();
  };
  return { name: "what other workers wait for", within: 2 * (DRAIN_TIMEOUT + CLOSE_TIMEOUT), close };
}

/** Requests that had to be cut off are worth an entry: their senders know only that the connection is gone. */
async function drain(server: HttpServer, logger: Logger): Promise<void> {
  const requests = await server.drain(DRAIN_TIMEOUT);
  if (requests > 0) logger.warn("requests were cut off", { requests });
}
