import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { activated, refused } from "../../lib/audit/deployment-events.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { KeptLive, ResolvedLive } from "../../lib/config/live-configuration.ts";
import type { OpenedBundle } from "../../lib/deployment/bundle.ts";
import { type FollowedDeployment, followDeployment } from "../../lib/deployment/follow.ts";
import { raiseHighest, storeSource } from "../../lib/deployment/records.ts";
import { DeploymentError, type DeploymentSettings, readDeploymentSettings } from "../../lib/deployment/settings.ts";
import { type BundleSource, httpSource, NothingPublishedError } from "../../lib/deployment/source.ts";
import { mustFollow, type StartingBundle, startingBundle } from "../../lib/deployment/starting.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import { type Deployments, NO_DEPLOYMENT } from "../../lib/stores/deployments.ts";
import type { Background } from "../background.ts";
import { fileErrorReason, hasCode } from "./files/file-error.ts";
import { makeFolder } from "./files/make-folder.ts";
import { outboundFetch } from "./net/open-fetch.ts";
import { openEmbeddedStore } from "./sqlite/embedded-store.ts";
import { StartupError } from "./startup-error.ts";

/** Where this process gets its configuration from, when it is published (D235). */
export interface NodeDeployment {
  readonly settings: DeploymentSettings;
  /** @param deployments of this process's store */
  readonly sourceIn: (deployments: Pick<Deployments, "readDeployment" | "piece">) => BundleSource;
  /** The file that keeps the last good bundle; absent: the source is the store itself. */
  readonly cache?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Sources that are not in the store ask nothing of it. */
const NO_STORE: Pick<Deployments, "readDeployment" | "piece"> = {
  readDeployment: () => Promise.resolve(NO_DEPLOYMENT),
  piece: () => Promise.resolve(undefined),
};

/** Looking at a file, or into the own store, costs next to nothing. Milliseconds. */
const LOCAL_INTERVAL = 500;

/**
 * Undefined: SVC_CONFIG_SOURCE is not set.
 * @throws StartupError that names the variable that is wrong
 */
export async function nodeDeployment(environment: Environment): Promise<NodeDeployment | undefined> {
  try {
    const settings = await readDeploymentSettings(environment, ["file", "https", "http", "store"], readKeys);
    if (settings === undefined) return undefined;
    const { source, interval } = settings;
    if (source.protocol === "store:")
      return { settings: { ...settings, interval: LOCAL_INTERVAL }, sourceIn: storeSource };
    const isFile = source.protocol === "file:";
    const there = isFile
      ? fileSource(fileURLToPath(source))
      : httpSource(source, outboundFetch(environment), environment.SVC_CONFIG_TOKEN || undefined);
    return {
      settings: { ...settings, interval: isFile ? LOCAL_INTERVAL : interval },
      sourceIn: () => there,
      cache: environment.SVC_CONFIG_CACHE || "./data/bundle.json",
    };
  } catch (error) {
    if (error instanceof DeploymentError) throw new StartupError(error.message, { cause: error });
    throw error;
  }
}

async function readKeys(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new DeploymentError(`SVC_CONFIG_KEYS: ${path} cannot be read: ${fileErrorReason(error)}.`);
  });
}

/** A file that is moved into place: what is half written is refused by its signature, and read again when it changes. */
export function fileSource(path: string): BundleSource {
  return {
    name: path,
    read: async (known) => {
      try {
        const { ino, size, mtimeMs } = await stat(path);
        const tag = `${ino} ${size} ${mtimeMs}`;
        return tag === known ? undefined : { bytes: new Uint8Array(await readFile(path)), tag };
      } catch (error) {
        if (hasCode(error, "ENOENT")) throw new NothingPublishedError(`${path} does not exist`);
        throw new Error(`${path} cannot be read: ${fileErrorReason(error)}`, { cause: error });
      }
    },
  };
}

/** Keeps the last good bundle, whole or not at all. */
export async function writeCache(file: string, bytes: Uint8Array): Promise<void> {
  makeFolder(dirname(file));
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, bytes, { mode: 0o600, flush: true });
  await rename(partial, file);
}

/** What a process starts with, resolved. */
export interface StartingConfiguration {
  readonly artifact: ConfigurationArtifact;
  readonly resolved: ResolvedLive;
  readonly starting: StartingBundle;
}

/**
 * What is published, or else the given artifact. Of a source in the store, the artifact says where the store is.
 *
 * @throws StartupError when there is nothing to start with
 */
export async function startingConfiguration(
  {
    artifact,
    deployment,
  }: { readonly artifact?: ConfigurationArtifact | undefined; readonly deployment?: NodeDeployment | undefined },
  resolve: (artifact: ConfigurationArtifact) => Promise<ResolvedLive>,
): Promise<StartingConfiguration> {
  if (deployment === undefined) return given(artifact, resolve, { problems: [] });
  if (deployment.cache !== undefined) {
    const kept = fileSource(deployment.cache);
    const starting = await startingBundle(
      deployment.settings,
      { source: deployment.sourceIn(NO_STORE), kept },
      terms(),
    );
    return given(starting.bundle?.artifact ?? artifact, resolve, starting);
  }
  const first = await given(artifact, resolve, { problems: [] });
  const { path } = first.resolved.configuration.store;
  const store = openEmbeddedStore(path, systemClock);
  const source = deployment.sourceIn(store.stores.deployments);
  const starting = await store.stores.deployments
    .readDeployment()
    .then(({ highest }) => startingBundle(deployment.settings, { source }, { ...terms(), inUse: highest }))
    .finally(() => store.close());
  if (starting.bundle === undefined) return { ...first, starting };
  const published = await given(starting.bundle.artifact, resolve, starting);
  if (published.resolved.configuration.store.path === path) return published;
  const { revision } = starting.bundle.publication;
  throw new StartupError(`Revision ${revision} names another store.path than ${path}, where it was published.`);
}

function terms() {
  return { version: VERSION, now: systemClock.now() };
}

async function given(
  artifact: ConfigurationArtifact | undefined,
  resolve: (artifact: ConfigurationArtifact) => Promise<ResolvedLive>,
  starting: StartingBundle,
): Promise<StartingConfiguration> {
  if (artifact === undefined) throw new StartupError("There is no configuration to serve.");
  return { artifact, resolved: await resolve(artifact), starting };
}

export interface FollowOnNodeOptions {
  readonly dependencies: Pick<Dependencies, "configuration" | "stores" | "clock" | "random" | "logger">;
  /** See `FollowDeploymentOptions`. */
  readonly running: Configuration;
  readonly takeOver: KeptLive["takeOver"];
  readonly others: () => { takeOver(artifact: ConfigurationArtifact): Promise<void> };
  readonly waitUntil: Background["waitUntil"];
}

/**
 * Follows what is published from what the process started with.
 * @throws StartupError when that lies behind what was in use
 */
export async function followOnNode(
  deployment: NodeDeployment,
  starting: StartingBundle,
  { dependencies, running, takeOver, others, waitUntil }: FollowOnNodeOptions,
): Promise<FollowedDeployment> {
  const { stores, logger } = dependencies;
  const { deployments, auditLog } = stores;
  const highest = await mustFollow(starting, deployments, running.oidcProvider?.region);
  const { bundle, problems } = starting;
  for (const reason of problems) logger.warn("published configuration not available at the start", { reason });
  const keep = async ({ publication, bytes }: OpenedBundle): Promise<void> => {
    await raiseHighest(deployments, publication.revision, activated(dependencies, publication));
    if (deployment.cache === undefined) return;
    try {
      await writeCache(deployment.cache, bytes);
    } catch (error) {
      logger.warn("the published configuration is not kept for a start without its source", {
        file: deployment.cache,
        cause: fileErrorReason(error),
      });
    }
  };
  if (bundle !== undefined) await keep(bundle);
  return followDeployment({
    ...deployment,
    ...dependencies,
    source: deployment.sourceIn(deployments),
    version: VERSION,
    started: bundle?.publication,
    highest,
    running,
    takeOver,
    keep,
    onActivated: ({ artifact }) => others().takeOver(artifact),
    onRefused: (reason, publication) => {
      const event = refused(dependencies, reason, publication);
      const recorded = auditLog.append(event).catch((error: unknown) => {
        logger.error("a refused configuration is not in the audit log", { cause: causeOf(error) });
      });
      waitUntil(recorded);
    },
  });
}
