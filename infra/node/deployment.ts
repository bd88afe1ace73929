import { randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { activated, refused } from "../../lib/audit/deployment-events.ts";
import { KeySecretError } from "../../lib/authorization-server/keys/own-key.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { KeptLive, ResolvedLive, SecretsByReference } from "../../lib/config/live-configuration.ts";
import { BUNDLE_BYTES, BundleError, type OpenedBundle } from "../../lib/deployment/bundle.ts";
import { type FollowedDeployment, type FollowedHere, followDeployment } from "../../lib/deployment/follow.ts";
import { mustFit, raiseHighest, storeSource } from "../../lib/deployment/records.ts";
import { withServiceKey } from "../../lib/deployment/service-key.ts";
import {
  type DeploymentSettings,
  HOSTED_SCHEMES,
  isHosted,
  readDeploymentSettings,
} from "../../lib/deployment/settings.ts";
import { type BundleSource, DeploymentError, httpSource, NothingPublishedError } from "../../lib/deployment/source.ts";
import { mustFollow, type StartingBundle, startPublished } from "../../lib/deployment/starting.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import { type Deployments, NO_DEPLOYMENT } from "../../lib/stores/deployments.ts";
import type { Background } from "../background.ts";
import { fileErrorReason, hasCode } from "./files/file-error.ts";
import { makeFolder } from "./files/make-folder.ts";
import { outboundFetch } from "./net/open-fetch.ts";
import { readSecretFile } from "./secrets.ts";
import { openEmbeddedStore } from "./sqlite/embedded-store.ts";
import { StartupError } from "./startup-error.ts";
import { restorePersistentFiles } from "./store-folder/restored-files.ts";
import { signingKeySecret } from "./store-folder/secret-files.ts";
import type { Worker } from "./workers/worker.ts";

/** Where this process gets its configuration from, when it is published (D235). */
export interface NodeDeployment {
  readonly settings: DeploymentSettings;
  /** @param deployments of this process's store */
  readonly sourceIn: (deployments: Pick<Deployments, "readDeployment" | "piece">) => BundleSource;
  /** The file that keeps the last good bundle; absent: the source is the store itself. */
  readonly cache?: string;
  /** With which the key of the instances is sealed, where they sign. */
  readonly secret?: Uint8Array<ArrayBuffer> | undefined;
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
    const settings = await readDeploymentSettings(environment, {
      schemes: ["file", "https", "http", "store", ...HOSTED_SCHEMES],
      limit: BUNDLE_BYTES,
      readFile: readKeys,
    });
    if (settings === undefined) return undefined;
    const { source, interval } = settings;
    if (source.protocol === "store:")
      return { settings: { ...settings, interval: LOCAL_INTERVAL }, sourceIn: storeSource };
    const isFile = source.protocol === "file:";
    const there = isFile ? fileSource(fileURLToPath(source)) : await fetched(source, environment);
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

async function fetched(source: URL, environment: Environment): Promise<BundleSource> {
  const [fetch, limit] = [outboundFetch(environment), BUNDLE_BYTES];
  if (isHosted(source)) {
    const { hostedSource } = await import("../../lib/deployment/hosted-source.ts");
    return hostedSource(source, { fetch, environment, clock: systemClock, readFile: readSecretFile, limit });
  }
  return httpSource(source, fetch, { token: environment.SVC_CONFIG_TOKEN || undefined, limit });
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
  const partial = `${file}.${process.pid}.${randomUUID()}`;
  try {
    await writeFile(partial, bytes, { mode: 0o600, flush: true });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** What a process starts with, resolved. */
export interface StartingConfiguration {
  readonly artifact: ConfigurationArtifact;
  readonly resolved: ResolvedLive;
  readonly starting: StartingBundle;
  /** With the key of the instances, where they sign. */
  readonly deployment?: NodeDeployment;
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
  const given = async (bundle: OpenedBundle | undefined) => {
    const used = bundle?.artifact ?? artifact;
    if (used === undefined) throw new StartupError("There is no configuration to serve.");
    const resolved = await resolve(used);
    return { artifact: used, resolved, configuration: resolved.configuration };
  };
  if (deployment === undefined) return { ...(await given(undefined)), starting: { problems: [] } };
  const { settings, cache, sourceIn } = deployment;
  const now = systemClock.now();
  if (cache !== undefined) {
    const places = { source: sourceIn(NO_STORE), kept: fileSource(cache) };
    const { used, ...starting } = await startPublished(settings, places, { version: VERSION, now }, given);
    return { ...used, starting, deployment };
  }
  const own = await given(undefined);
  const { path } = own.configuration.store;
  const { stores, close } = openEmbeddedStore(path, systemClock);
  const inThisStore = async (bundle: OpenedBundle | undefined) => {
    if (bundle === undefined) return own;
    const published = await given(bundle);
    const other = published.configuration.store.path;
    if (other !== path) throw new BundleError(`names the store.path ${other}; it was published in ${path}`);
    return published;
  };
  try {
    const { deployments } = stores;
    const secret = settings.signing === "service" ? keySecretOf(own.configuration) : undefined;
    const withKey = await withServiceKey(settings, secret, { deployments, random: webCryptoRandom });
    const terms = { version: VERSION, now, record: await deployments.readDeployment() };
    const places = { source: sourceIn(deployments) };
    const { used, ...starting } = await startPublished(withKey, places, terms, inThisStore);
    return { ...used, starting, deployment: { ...deployment, settings: withKey, secret } };
  } finally {
    await close();
  }
}

/** @throws StartupError when it is too short */
function keySecretOf(configuration: Configuration): Uint8Array<ArrayBuffer> | undefined {
  // A store that was put back from a backup has the file of it.
  restorePersistentFiles(configuration.store.path);
  try {
    return signingKeySecret(configuration, webCryptoRandom)();
  } catch (error) {
    if (error instanceof KeySecretError) throw new StartupError(error.message, { cause: error });
    throw error;
  }
}

export interface OtherProcesses {
  /** Has them answer by another configuration, with secrets that were fetched already. Never rejects. */
  takeOver(artifact: ConfigurationArtifact, secrets: SecretsByReference): Promise<void>;
}

export interface FollowOnNodeOptions {
  readonly dependencies: Pick<Dependencies, "configuration" | "stores" | "clock" | "random" | "logger">;
  /** See `FollowDeploymentOptions`. */
  readonly region: string | undefined;
  readonly takeOver: KeptLive["takeOver"];
  readonly artifact: KeptLive["artifact"];
  /** Other processes of this instance. */
  readonly others: () => OtherProcesses;
  readonly waitUntil: Background["waitUntil"];
}

/**
 * Follows what is published from what the process started with.
 * @throws StartupError when that lies behind what was in use
 */
export async function followOnNode(
  deployment: NodeDeployment,
  starting: StartingBundle,
  { dependencies, region, takeOver, artifact, others, waitUntil }: FollowOnNodeOptions,
): Promise<FollowedHere> {
  const { stores, logger } = dependencies;
  const { deployments, auditLog } = stores;
  const highest = await mustFollow(starting, deployments);
  const { bundle, problems } = starting;
  for (const reason of problems) logger.warn("published configuration not available at the start", { reason });
  const keep = async ({ publication, bytes }: OpenedBundle): Promise<void> => {
    mustFit(publication, await deployments.readDeployment());
    // Before the note: a process that ends between both starts with what it has, and one that finds the note alone could not.
    await keepInFile(bytes);
    await raiseHighest(deployments, publication, activated(dependencies, publication));
  };
  const keepInFile = async (bytes: Uint8Array): Promise<void> => {
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
    region,
    takeOver,
    artifact,
    keep,
    instance: { runtime: "node", tell: deployments.tellInstance },
    onActivated: ({ artifact }, secrets) => others().takeOver(artifact, secrets),
    onRefused: (reason, publication) => {
      const event = refused(dependencies, reason, publication);
      const recorded = auditLog.append(event).catch((error: unknown) => {
        logger.error("a refused configuration is not in the audit log", { cause: causeOf(error) });
      });
      waitUntil(recorded);
    },
  });
}

/**
 * The same for one of several processes that answer (D195): the one that started them follows, and has them take over what it has taken
 * over. This one looks at what somebody publishes here, and asks that one for the rest.
 */
export async function followInWorker(
  deployment: NodeDeployment,
  worker: Pick<Worker, "deploymentSecret" | "deploymentState" | "lookAtDeployment">,
  { dependencies, region, takeOver, artifact }: Omit<FollowOnNodeOptions, "others" | "waitUntil">,
): Promise<FollowedDeployment> {
  const { deployments } = dependencies.stores;
  const { random } = dependencies;
  const settings = await withServiceKey(deployment.settings, worker.deploymentSecret, { deployments, random });
  const { highest } = await deployments.readDeployment();
  const here = followDeployment({
    ...{ ...dependencies, settings, source: deployment.sourceIn(deployments), version: VERSION },
    ...{ highest, region, takeOver, artifact },
    keep: () => Promise.reject(new Error("a worker follows nothing by itself")),
    onRefused: () => undefined,
  });
  const { deployment: name } = settings;
  return {
    ...here,
    refresh: () => undefined,
    poll: () => worker.lookAtDeployment(),
    state: async () => (await worker.deploymentState()) ?? { deployment: name },
  };
}
