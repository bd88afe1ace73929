import cluster from "node:cluster";
import type { Configuration } from "../../../lib/config/configuration.ts";
import type { GatewaySettings } from "../../../lib/config/settings/settings.ts";
import type { DeploymentState } from "../../../lib/deployment/follow.ts";
import type { Random } from "../../../lib/kernel/random.ts";
import type { InstanceStops } from "../../../lib/stops/instance-stops.ts";
import type { SettingsRecord } from "../../../lib/stores/settings.ts";
import type { StopsRecord } from "../../../lib/stores/stops.ts";
import type { WaitingCalls } from "../../../lib/upstream/waiting/waiting-calls.ts";
import { processSource } from "../heartbeat.ts";
import type { Handover } from "../http/listen.ts";
import type { PrimaryOperations, WorkerOperations, WorkerOrder } from "./messages.ts";
import { handedOverFrom, type Neighbours, neighboursOf } from "./neighbours.ts";
import { createPeer } from "./peer.ts";
import { type SharedPorts, sharedPorts } from "./ports.ts";
import { sessionOwner } from "./session-owner.ts";
import { type OrderPorts, ordersTo, waitingAtWorkers } from "./waiting-calls.ts";

/** What the primary starts a worker with, so that no other program's cluster makes one. */
export const WORKER_VARIABLE = "COUNTERSIGN_WORKER";

/** A worker's side of the server: its primary, and the workers beside it. */
export interface Worker extends WorkerOrder {
  readonly ports: SharedPorts;
  readonly neighbours: Neighbours;
  /** Those of all workers. */
  waitingCalls(random: Random): WaitingCalls;
  /** Which requests other workers answer, and what this one does for others. */
  handover(configuration: () => Configuration, ports: OrderPorts): Handover;
  /** The same, whose changes all workers know at once. */
  shareStops(stops: InstanceStops): InstanceStops;
  /** The same settings, whose changes all workers use at once. */
  shareSettings(settings: GatewaySettings | undefined): GatewaySettings | undefined;
  /** Told of another configuration that all workers are to use; also of one that came before. */
  onTakeOver(listener: WorkerOperations["takeOver"]): Promise<void>;
  /** Told when another worker changed what is kept of a client. */
  onClientChanged(listener: (clientId: string) => void): void;
  /** See `PrimaryOperations`. */
  deploymentState(): Promise<DeploymentState | undefined>;
  lookAtDeployment(): Promise<void>;
  listening(): Promise<void>;
  failed(message: string): Promise<void>;
  /** Resolves when the server stops. */
  readonly stopping: Promise<void>;
  /** This worker has answered everything. Resolves when all have: until then another may need it. */
  drained(): Promise<void>;
}

/** Joins the server as one of its workers. Undefined where this process is none. */
export async function joinServer(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Worker | undefined> {
  if (!cluster.isWorker || environment[WORKER_VARIABLE] === undefined) return undefined;
  let clientChanged = (_: string): void => undefined;
  let useSettings = (_: SettingsRecord): Promise<void> => Promise.resolve();
  let useStops: InstanceStops["use"] = () => undefined;
  let early: Parameters<WorkerOperations["takeOver"]> | undefined;
  let takeOver: WorkerOperations["takeOver"] = async (...given) => {
    early = given;
  };
  let isStopping = false;
  const { promise: stopping, resolve: stop } = Promise.withResolvers<void>();
  const ours: WorkerOperations = {
    signal: (...args) => answering.signal(...args),
    health: () => answering.health(),
    noteUpstream: (...args) => answering.noteUpstream(...args),
    measure: () => usage.measure(),
    forgetClient: (clientId) => clientChanged(clientId),
    useSettings: (record) => useSettings(record),
    useStops: (record) => void useStops(record),
    takeOver: (...given) => takeOver(...given),
    stop: () => {
      isStopping = true;
      stop();
    },
  };
  const primary = createPeer<PrimaryOperations>((messages) => {
    // Whoever cannot be told has ended, and this process with it.
    process.send?.(messages, undefined, undefined, () => undefined);
    return process.connected;
  }, ours);
  const { ports, answering } = sharedPorts(primary);
  const usage = processSource();
  process.on("message", primary.received);
  const order = await primary.call("order");
  const neighbours = neighboursOf(order.folder, order.number);
  let here: WaitingCalls | undefined;
  return {
    ...order,
    ports,
    neighbours,
    waitingCalls: (random) => {
      here = ports.waitingHere(random);
      return waitingAtWorkers(here, order.number, neighbours, random);
    },
    handover: (configuration, orderPorts) => {
      const ownerOf = sessionOwner(configuration, order.workers);
      return {
        take: (serve) => neighbours.listen(serve, ordersTo(here ?? ports.waitingHere(orderPorts.random), orderPorts)),
        remoteAddress: handedOverFrom,
        give: (incoming, outgoing, to) => {
          const owner = ownerOf(incoming);
          if (owner === undefined || owner === order.number) return false;
          neighbours.handOver(owner, incoming, outgoing, to);
          return true;
        },
      };
    },
    shareStops: (stops) => {
      useStops = stops.use;
      const use = async (record: StopsRecord): Promise<void> => {
        await stops.use(record);
        await primary.call("stopsChanged", record);
      };
      return { ...stops, use };
    },
    shareSettings: (settings) => {
      if (settings === undefined) return undefined;
      useSettings = settings.use;
      const use = async (record: SettingsRecord): Promise<void> => {
        await settings.use(record);
        await primary.call("settingsChanged", record);
      };
      return { ...settings, use };
    },
    onTakeOver: async (listener) => {
      takeOver = listener;
      if (early !== undefined) await listener(...early);
    },
    onClientChanged: (listener) => {
      clientChanged = listener;
    },
    deploymentState: () => primary.call("deploymentState"),
    lookAtDeployment: () => primary.call("lookAtDeployment"),
    listening: () => primary.call("listening"),
    failed: (message) => primary.call("failed", message),
    stopping,
    // Who ends alone, after an error, waits for nobody.
    drained: async () => {
      if (isStopping) await primary.call("drained");
    },
  };
}
