import cluster, { type Worker as ClusterWorker } from "node:cluster";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { FollowedDeployment } from "../../../lib/deployment/follow.ts";
import type { Maintenance } from "../../../lib/health/component.ts";
import { withTimeout } from "../../../lib/kernel/timers.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import type { SettingsRecord } from "../../../lib/stores/settings.ts";
import type { OtherProcesses } from "../deployment.ts";
import { startMaintenance } from "../maintenance.ts";
import type { Serving } from "../serving.ts";
import { StartupError } from "../startup-error.ts";
import { type Broker, createBroker, type OfServer } from "./broker.ts";
import { keepHandedConnections } from "./handed-connections.ts";
import { type PrimaryOperations, STORE_SOCKET, type WorkerOperations, type WorkerOrder } from "./messages.ts";
import { createPeer, type Peer } from "./peer.ts";
import { WORKER_VARIABLE } from "./worker.ts";

/** Between the end of a worker that nobody ended and the start of the next, milliseconds: the first time, and the longest. */
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 30_000;
/** Who served for so long did not end of its start. Milliseconds. */
const SETTLED = 60_000;
/** For a worker to take another configuration over, milliseconds. */
const TAKEOVER_TIMEOUT = 10_000;
/** How long workers may take to end, milliseconds; longer than all that they close. */
const STOP_TIMEOUT = 50_000;

/** The folder of the sockets of one server's processes, of this user alone. */
export interface SocketFolder {
  readonly path: string;
  /** The store's thread. */
  readonly store: string;
  remove(): void;
}

/** The longest path of a socket is 104 bytes on some systems. */
const LONGEST_FOLDER = 90;

/** @throws StartupError when there can be none */
export function makeSocketFolder(): SocketFolder {
  let path: string;
  try {
    path = mkdtempSync(join(tmpdir(), "countersign-"));
  } catch (error) {
    throw new StartupError(
      `Cannot make a folder for the sockets of http.workers in ${tmpdir()}: ${causeOf(error)}. Set TMPDIR to a folder that can be written, or http.workers to 1.`,
    );
  }
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.once("exit", remove);
  if (path.length > LONGEST_FOLDER) {
    remove();
    throw new StartupError(
      `The folder ${tmpdir()} has too long a name for the sockets of http.workers. Set TMPDIR to one with at most 70 characters.`,
    );
  }
  return { path, store: join(path, STORE_SOCKET), remove };
}

/** What a server with several workers has before it serves. */
export interface Several {
  readonly count: number;
  readonly sockets: SocketFolder;
  serve(options: SeveralOptions): Promise<Serving>;
}

export interface SeveralOptions extends Pick<WorkerOrder, "artifact" | "setupToken" | "deploymentSecret"> {
  readonly dependencies: Dependencies;
  /** Receives each line that a worker writes. */
  readonly write: (line: string) => void;
}

/** @throws StartupError when their sockets can have no folder */
export function openWorkers(count: number): Several {
  const sockets = makeSocketFolder();
  return {
    count,
    sockets,
    serve: async ({ artifact, setupToken, deploymentSecret, dependencies, write }) => {
      const { limiter, refusals, gatewaySettings, logger, refreshConfiguration, deployment } = dependencies;
      const useSettings = async (record: SettingsRecord) => gatewaySettings?.use(record);
      const broker = createBroker({ limiter, refusals, useSettings });
      const order = { artifact, setupToken, deploymentSecret, workers: count, folder: sockets.path };
      const workers = await startWorkers({ order, broker, logger, write, deployment });
      // What serves refreshes the rest.
      const refresh = (maintenance: Maintenance): void => {
        refreshConfiguration?.(maintenance);
        const counted = refusals.flushDue();
        if (counted !== undefined) maintenance.waitUntil(counted);
      };
      const maintenance = startMaintenance({ refresh });
      const within = STOP_TIMEOUT + LAST_GRACE;
      const otherUsage = broker.measure;
      const closers = [{ name: "workers", within, close: workers.stop }];
      return { stop: maintenance.stop, otherUsage, takeOver: workers.takeOver, closers };
    },
  };
}

/** For a worker that was killed to be gone, milliseconds. */
const LAST_GRACE = 1_000;

export interface WorkersOptions {
  readonly order: Omit<WorkerOrder, "number">;
  readonly broker: Broker;
  readonly logger: Logger;
  /** Receives each line that a worker writes. */
  readonly write: (line: string) => void;
  /** Absent: nothing is published for this server. */
  readonly deployment?: FollowedDeployment | undefined;
}

export interface RunningWorkers {
  /**
   * Has all use another configuration, one after the other, and those that start later. One that cannot is killed, and started anew
   * before the next is asked.
   */
  readonly takeOver: OtherProcesses["takeOver"];
  /** Has all drain and end. Rejects when one did not end in good order. */
  stop(): Promise<void>;
}

interface Place {
  readonly number: number;
  worker: ClusterWorker | undefined;
  peer: Peer<WorkerOperations> | undefined;
  restart?: NodeJS.Timeout;
  delay: number;
  /** Told when the next one serves. */
  onServing?: () => void;
}

/**
 * Starts the workers, which share the port, and starts another one where one ends (D195). Resolves when all serve.
 * @throws StartupError when one cannot
 */
export async function startWorkers({
  order,
  broker,
  logger,
  write,
  deployment,
}: WorkersOptions): Promise<RunningWorkers> {
  if (cluster.isWorker) throw new StartupError("http.workers must be 1 in a process of another cluster.");
  // Handles go by messages too, which structured clone carries as they are.
  cluster.setupPrimary({ serialization: "advanced", stdio: ["ignore", "inherit", "pipe", "ipc"] });
  const places = Array.from({ length: order.workers }, (_, at): Place => {
    return { number: at + 1, worker: undefined, peer: undefined, delay: FIRST_DELAY };
  });
  const drained = new Set<number>();
  const { promise: allDrained, resolve: resolveDrained } = Promise.withResolvers<void>();
  let isServing = false;
  let { artifact } = order;
  const look = (): void => {
    if (places.every(({ number, worker }) => worker === undefined || drained.has(number))) resolveDrained();
  };

  /** Resolves when it serves; rejects when it ends before. */
  function start(place: Place): Promise<void> {
    const { number } = place;
    const { promise: serves, resolve, reject } = Promise.withResolvers<void>();
    const startedAt = performance.now();
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(number) });
    keepHandedConnections(worker);
    let failure: string | undefined;
    const ours: Pick<PrimaryOperations, OfServer> = {
      deploymentState: async () => deployment?.state(),
      lookAtDeployment: async () => deployment?.poll(),
      order: () => ({ ...order, artifact, number }),
      listening: () => {
        logger.info("a worker listens", { worker: number, pid: worker.process.pid });
        resolve();
        place.onServing?.();
      },
      failed: (message) => {
        failure = message;
      },
      drained: () => {
        drained.add(number);
        look();
        return allDrained;
      },
    };
    const peer = createPeer<WorkerOperations>((messages) => {
      if (worker.isConnected()) worker.process.send(messages, undefined, undefined, () => undefined);
      return worker.isConnected();
    }, ours);
    const seat = broker.join(peer);
    Object.assign(ours, seat.operations);
    Object.assign(place, { worker, peer });
    worker.on("message", peer.received);
    // One that cannot be started has no exit.
    worker.on("error", (error) => reject(new StartupError(`A worker cannot be started: ${error.message}.`)));
    const { stderr } = worker.process;
    if (stderr !== null) passLines(stderr, write);
    worker.once("exit", (code: number | null, signal: string | null) => {
      Object.assign(place, { worker: undefined, peer: undefined });
      peer.ended();
      seat.left();
      look();
      const end = signal ?? `code ${code}`;
      reject(new StartupError(failure ?? `A worker ended with ${end} before it served.`));
      if (!isServing) return;
      if (performance.now() - startedAt >= SETTLED) place.delay = FIRST_DELAY;
      logger.error("a worker ended; another one is started", { worker: number, end, pause: place.delay });
      place.restart = setTimeout(() => {
        start(place).catch((error: unknown) => logger.error("a worker did not start", { cause: causeOf(error) }));
      }, place.delay);
      place.delay = Math.min(2 * place.delay, LONGEST_DELAY);
    });
    return serves;
  }

  const takeOver: OtherProcesses["takeOver"] = async (next, secrets) => {
    artifact = next;
    for (const place of places) {
      const { number, worker, peer } = place;
      try {
        await withTimeout(TAKEOVER_TIMEOUT, peer?.call("takeOver", next, secrets) ?? Promise.resolve());
      } catch (error) {
        logger.error("a worker cannot take the configuration over and is started anew", {
          worker: number,
          cause: causeOf(error),
        });
        const { promise: again, resolve } = Promise.withResolvers<void>();
        place.onServing = resolve;
        worker?.process.kill("SIGKILL");
        // The others have to follow all the same, and the log says why it does not serve.
        await withTimeout(TAKEOVER_TIMEOUT, again).catch(() => undefined);
      }
    }
  };

  async function stop(): Promise<void> {
    isServing = false;
    const codes = await Promise.all(places.map(end));
    const bad = codes.filter((code) => code !== 0);
    if (bad.length > 0) throw new Error(`workers ended with ${bad.join(", ")}`);
  }

  /** @returns its exit code, or the signal that ended it; 0 where there is none. */
  async function end({ worker, peer, restart }: Place): Promise<number | string> {
    clearTimeout(restart);
    if (worker === undefined || worker.isDead()) return 0;
    const { promise: ended, resolve } = Promise.withResolvers<number | string>();
    worker.once("exit", (code: number | null, signal: string | null) => resolve(signal ?? code ?? 1));
    const late = setTimeout(() => worker.process.kill("SIGKILL"), STOP_TIMEOUT);
    peer?.call("stop").catch(() => undefined);
    const code = await ended;
    clearTimeout(late);
    return code;
  }

  try {
    await Promise.all(places.map(start));
    isServing = true;
  } catch (error) {
    for (const { worker } of places) worker?.process.kill("SIGKILL");
    throw error;
  }
  return { stop, takeOver };
}

/** Lines are whole, whichever worker writes them. */
function passLines(from: Readable, write: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  from.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) write(line);
  });
  from.on("end", () => {
    if (rest !== "") write(rest);
  });
}
