import { availableParallelism } from "node:os";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { auditEvent } from "../../lib/audit/event.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { logWarnings } from "../../lib/config/configured-logger.ts";
import {
  type KeepLiveOptions,
  type KeptLive,
  type ResolvedLive,
  resolveLive,
} from "../../lib/config/live-configuration.ts";
import { setupLink } from "../../lib/console/paths.ts";
import type { FollowedDeployment } from "../../lib/deployment/follow.ts";
import type { StartingBundle } from "../../lib/deployment/starting.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import type { Random } from "../../lib/kernel/random.ts";
import { pause } from "../../lib/kernel/timers.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { causeOf, stackOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { type SecretValues, secretValues } from "../../lib/logging/secret-values.ts";
import type { SecretProvider } from "../../lib/secrets/provider.ts";
import { StoreUnavailableError } from "../../lib/stores/unavailable.ts";
import { type Background, background } from "../background.ts";
import { type Closer, closeInOrder } from "./closing.ts";
import { type NodeDependencies, openServerDependencies, openWorkerDependencies } from "./dependencies.ts";
import {
  followInWorker,
  followOnNode,
  type NodeDeployment,
  type OtherProcesses,
  startingConfiguration,
} from "./deployment.ts";
import { isOfStore } from "./ending.ts";
import { processSource, startHeartbeat } from "./heartbeat.ts";
import { openLogOutput, plainOutput } from "./log-output.ts";
import { checkExtraAuthorities } from "./net/connection-tls.ts";
import { CLOSE_TIMEOUT, DRAIN_TIMEOUT, neighboursCloser, serveHere } from "./serving.ts";
import { StartupError } from "./startup-error.ts";
import { namingStore } from "./store-folder/unusable-store.ts";
import { measuredDependencies } from "./telemetry/measured-dependencies.ts";
import type { Several } from "./workers/primary.ts";
import type { Worker } from "./workers/worker.ts";

export interface ServerOptions {
  /** Absent: what is published is served, or nothing. */
  readonly artifact?: ConfigurationArtifact | undefined;
  /** Where published configurations come from; absent: the artifact is all there is. */
  readonly deployment?: NodeDeployment | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretProvider;
  /** Between two looks whether a secret changed, milliseconds; five minutes unless given. */
  readonly secretInterval?: number;
  readonly verbose: boolean;
  /** What no log entry may show; what the configuration holds is added to it. */
  readonly knownSecrets?: SecretValues;
  /** Receives log lines without their line break; stderr unless given. */
  readonly write?: (line: string) => void;
  /**
   * Receives a setup token for this run, and the address of the page that uses it, for whoever starts the process and for no
   * log; absent: none is made.
   */
  readonly announceSetupToken?: (token: string, link: string) => void;
  /** Set in one of several processes of a server, which another one has started (D195). */
  readonly worker?: Worker | undefined;
}

export interface RunningServer {
  /** The public URL. */
  readonly url: string;
  /** Logs an error that nobody caught: why the process is about to end, unless it is one of the store. */
  reportCrash(error: unknown): void;
  /** Drains and closes everything; repeated calls wait for the first. */
  stop(): Promise<void>;
}

/**
 * Starts the product on this machine.
 * @throws ConfigurationError when the configuration cannot be resolved
 * @throws StartupError when the store cannot be opened or the address cannot be listened on
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { environment, secrets, verbose, announceSetupToken, worker } = options;
  const { knownSecrets = secretValues() } = options;
  const output = options.write === undefined ? openLogOutput() : plainOutput(options.write);
  const resolve = (source: ConfigurationArtifact): Promise<ResolvedLive> =>
    resolveLive(source, {
      environment,
      runtime: "node",
      openSecrets: () => secrets,
      clock: systemClock,
      interval: options.secretInterval,
      onSecret: knownSecrets.add,
    });
  // A worker answers by what it was given, which may have been published.
  const from = worker === undefined ? options : { artifact: options.artifact };
  const { artifact, resolved, starting, deployment = options.deployment } = await startingConfiguration(from, resolve);
  const { write } = output;
  const several = worker === undefined ? await severalWorkers(resolved.configuration.http) : undefined;
  const nodeOptions = { write, verbose, environment, knownSecrets };
  const node =
    worker === undefined
      ? openServerDependencies(resolved.configuration, nodeOptions, several?.sockets.store)
      : openWorkerDependencies(resolved.configuration, nodeOptions, worker);
  try {
    const setupToken = worker?.setupToken ?? (announceSetupToken === undefined ? undefined : await ownSetupToken(node));
    knownSecrets.add(setupToken ?? "");
    const { waitUntil, finish } = background();
    const stopping = new AbortController();
    const other: OtherProcesses = { takeOver: async () => undefined };
    const following = await liveDependencies(node, {
      ...{ resolved, setupToken, waitUntil, worker, starting },
      deployment,
      others: () => other,
    });
    const live = { ...following, stopping: stopping.signal };
    const soid = worker === undefined ? node.soid : `${node.soid}.${worker.number}`;
    const { dependencies, close: closeTelemetry } = await measuredDependencies(live, { soid, environment });
    const { logger } = dependencies;
    output.onLost((lines) => logger.warn("log lines were lost", { lines }));
    const { http, tls, publicURL, version, console } = resolved.configuration;
    // A file that cannot be used is told now, not by the first connection that needs it.
    for (const name of Object.keys(tls)) dependencies.outbound(name);
    if (worker === undefined) {
      logWarnings(logger, resolved.warnings);
      await warnOfSchemas(node, logger);
      checkExtraAuthorities(environment, logger);
      await recordStart(dependencies, waitUntil);
    }
    const serving =
      several === undefined
        ? await serveHere(resolved.configuration, dependencies, waitUntil, worker)
        : await several.serve({ artifact, setupToken, deploymentSecret: deployment?.secret, dependencies, write });
    if (serving.takeOver !== undefined) other.takeOver = serving.takeOver;
    if (worker === undefined) {
      if (setupToken !== undefined) announceSetupToken?.(setupToken, setupLink(console.baseURL, setupToken));
      const { host, port } = http;
      const workers = several === undefined ? {} : { workers: several.count };
      logger.info("listening", { url: publicURL, host, port, configVersion: version, version: VERSION, ...workers });
    }
    // The process that started the workers has it for all.
    const heartbeat =
      worker === undefined ? startHeartbeat(dependencies, processSource(), serving.otherUsage) : undefined;
    return {
      url: publicURL,
      reportCrash: (error) => {
        const ending = worker === undefined ? ENDING : "an error that nobody caught ends the worker";
        const what = isOfStore(error) ? "an error of the store that nobody caught" : ending;
        logger.error(what, { error: stackOf(error) });
      },
      stop: once(async () => {
        serving.stop();
        heartbeat?.stop();
        if (worker === undefined) logger.info("stopping");
        stopping.abort();
        const closers: readonly Closer[] = [
          ...serving.closers,
          { name: "work in the background", within: DRAIN_TIMEOUT + CLOSE_TIMEOUT, close: () => finish(DRAIN_TIMEOUT) },
          ...(worker === undefined ? [] : [neighboursCloser(worker)]),
          { name: "counts of refusals", within: CLOSE_TIMEOUT, close: dependencies.refusals.flush },
          { name: "telemetry", within: CLOSE_TIMEOUT, close: closeTelemetry },
          { name: "store", within: CLOSE_TIMEOUT, close: node.close },
        ];
        try {
          await closeInOrder(closers, logger);
          if (worker === undefined) logger.info("stopped");
        } finally {
          several?.sockets.remove();
          output.close();
        }
      }),
    };
  } catch (error) {
    await node.close();
    several?.sockets.remove();
    output.close();
    throw namingStore(error, resolved.configuration.store.path);
  }
}

/** Undefined where this process serves by itself: nothing of workers is loaded then. */
async function severalWorkers({ workers }: Configuration["http"]): Promise<Several | undefined> {
  const count = workers === "auto" ? availableParallelism() : workers;
  if (count === 1) return undefined;
  const { openWorkers } = await import("./workers/primary.ts");
  return openWorkers(count);
}

/** Writes to the audit log which configuration is in use: at start, revision 1, and whenever another one replaces it. */
async function recordConfiguration(dependencies: Dependencies): Promise<void> {
  const { revision, configuration } = dependencies.configuration();
  const { version, published } = configuration;
  const details = {
    ...{ version, revision: String(revision) },
    ...(published !== undefined && { deploymentRevision: String(published.revision) }),
  };
  const event = auditEvent(dependencies, { type: "config.loaded", outcome: "success", details });
  await dependencies.stores.auditLog.append(event);
}

const ENDING = "an error that nobody caught ends the server";

/** Between two attempts to record what a full store did not take, milliseconds. */
const RECORD_DELAY = 5_000;

/** A store that keeps nothing for now keeps no server from starting: what can be read is served. The record follows. */
async function recordStart(dependencies: Dependencies, waitUntil: Background["waitUntil"]): Promise<void> {
  const { logger, stopping } = dependencies;
  const later = async (): Promise<void> => {
    while (!stopping?.aborted) {
      await pause(RECORD_DELAY, stopping);
      try {
        return await recordConfiguration(dependencies);
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
    }
  };
  try {
    await recordConfiguration(dependencies);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    logger.error("the start is not in the audit log yet", { cause: causeOf(error) });
    waitUntil(later());
  }
}

/** A store that is newer than this release is left as it is and served; only of adjacent releases is that known to be safe. */
async function warnOfSchemas({ schemasAhead }: NodeDependencies, logger: Logger): Promise<void> {
  const ahead = await schemasAhead();
  if (ahead.length === 0) return;
  const schemas = ahead.map(({ name, version, known }) => `${name} ${version} (known here: ${known})`).join(", ");
  logger.warn("the store is ahead of this release; only adjacent releases may use the same", { schemas });
}

/**
 * The dependencies of an instance whose configuration follows its secrets and the stored settings.
 * @throws StartupError when the settings cannot be read
 */
async function liveDependencies(
  { dependencies }: NodeDependencies,
  { resolved, setupToken, waitUntil, worker, deployment, starting, others }: LiveOptions,
): Promise<Dependencies> {
  const { logger, stores } = dependencies;
  const live = await keptLive(resolved, {
    logger,
    settings: stores.settings,
    adjust: (configuration) => withShares(withSetupToken(configuration, setupToken), worker?.workers),
    // The process that started the workers records it for all. What organizations change has records of its own.
    onReplaced: (_, { isOfOverridesAlone }) => {
      if (worker === undefined && !isOfOverridesAlone) waitUntil(recordReplacement());
    },
  });
  const { snapshot } = live;
  const gatewaySettings = worker === undefined ? live.gatewaySettings : worker.shareSettings(live.gatewaySettings);
  const ports = { ...dependencies, configuration: snapshot };
  const region = resolved.configuration.oidcProvider?.region;
  const following = {
    dependencies: ports,
    region,
    takeOver: live.takeOver,
    artifact: live.artifact,
    others,
    waitUntil,
  };
  const follow = async (one: NodeDeployment): Promise<FollowedDeployment> =>
    worker === undefined ? followOnNode(one, starting, following) : followInWorker(one, worker, following);
  const followed = deployment && (await follow(deployment));
  await worker?.onTakeOver(async (artifact, secrets) => {
    await live.takeOver(artifact, () => Promise.resolve(), secrets);
  });
  const refreshConfiguration: Dependencies["refreshConfiguration"] = (maintenance) => {
    live.refresh(maintenance);
    followed?.refresh(maintenance);
  };
  const all = { ...ports, refreshConfiguration, gatewaySettings, deployment: followed };
  const recordReplacement = async (): Promise<void> => {
    try {
      await recordConfiguration(all);
    } catch (error) {
      logger.error("the new configuration is not in the audit log", { cause: causeOf(error) });
    }
  };
  return all;
}

async function keptLive(resolved: ResolvedLive, options: KeepLiveOptions): Promise<KeptLive> {
  try {
    return await resolved.keepLive(options);
  } catch (error) {
    throw new StartupError(`Cannot read the gateway settings in the store: ${causeOf(error)}.`, { cause: error });
  }
}

interface LiveOptions {
  readonly resolved: ResolvedLive;
  readonly setupToken: string | undefined;
  readonly waitUntil: Background["waitUntil"];
  readonly worker: Worker | undefined;
  readonly deployment: NodeDeployment | undefined;
  readonly starting: StartingBundle;
  /** Other processes of this instance, once there are some. */
  readonly others: () => OtherProcesses;
}

/** Without a configured setup token and without an owner, whoever starts the process gets a token for this run. */
async function ownSetupToken({ dependencies, hasOwner }: NodeDependencies): Promise<string | undefined> {
  const { console } = dependencies.configuration().configuration;
  if (!console.enabled || console.setupToken !== undefined || (await hasOwner())) return undefined;
  dependencies.logger.warn("this instance has no owner; a setup token was generated for this run");
  return newSetupToken(dependencies.random);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

/** A new setup token, 256 bits. */
function newSetupToken(random: Random): string {
  return base64url(random.bytes(32));
}

/** The configuration with this setup token in it; as it is without one. */
function withSetupToken(configuration: Configuration, setupToken: string | undefined): Configuration {
  if (setupToken === undefined) return configuration;
  return { ...configuration, console: { ...configuration.console, setupToken } };
}

/** Each of several workers has a share of the requests that may run at an upstream, so that together they have no more. */
function withShares(configuration: Configuration, workers = 1): Configuration {
  if (workers === 1) return configuration;
  const apps = configuration.apps.map((app) =>
    app.type === "mcpProxy" ? { ...app, concurrency: Math.max(1, Math.floor(app.concurrency / workers)) } : app,
  );
  return { ...configuration, apps };
}
