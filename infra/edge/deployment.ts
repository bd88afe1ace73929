import { activated } from "../../lib/audit/deployment-events.ts";
import type { AuditEventPorts } from "../../lib/audit/event.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { KeptLive, ResolvedLive } from "../../lib/config/live-configuration.ts";
import { EDGE_BUNDLE_BYTES, type OpenedBundle } from "../../lib/deployment/bundle.ts";
import { type FollowedDeployment, followDeployment } from "../../lib/deployment/follow.ts";
import { keepPublication, RevisionTakenError, raiseHighest, storeSource } from "../../lib/deployment/records.ts";
import { withServiceKey } from "../../lib/deployment/service-key.ts";
import {
  type DeploymentSettings,
  HOSTED_SCHEMES,
  isHosted,
  readDeploymentSettings,
} from "../../lib/deployment/settings.ts";
import { type BundleSource, httpSource } from "../../lib/deployment/source.ts";
import { mustFollow, type StartingBundle, startPublished } from "../../lib/deployment/starting.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import { fromBase64url } from "../../lib/kernel/encoding.ts";
import type { Random } from "../../lib/kernel/random.ts";
import { VERSION } from "../../lib/kernel/version.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { Deployments } from "../../lib/stores/deployments.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What an instance at the edge starts with. */
export interface EdgeStart {
  readonly resolved: ResolvedLive;
  /** Absent: nothing is published for it. */
  readonly deployment?: EdgeDeployment;
}

export interface EdgeDeployment {
  readonly settings: DeploymentSettings;
  readonly starting: StartingBundle;
}

interface StartAtEdgePorts {
  readonly openDeployments: () => Deployments;
  readonly resolve: (artifact: ConfigurationArtifact) => Promise<ResolvedLive>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * What is published, or else the artifact that the instance was built with. The last good bundle is kept in the region's store, where
 * instances that start find it while the source is away.
 *
 * @throws {DeploymentError} when there is nothing to start with
 */
export async function startAtEdge(
  builtIn: ConfigurationArtifact,
  environment: Environment,
  { openDeployments, resolve, fetch, clock, random }: StartAtEdgePorts,
): Promise<EdgeStart> {
  const given = await readDeploymentSettings(environment, {
    schemes: ["store", "https", "http", ...HOSTED_SCHEMES],
    limit: EDGE_BUNDLE_BYTES,
  });
  if (given === undefined) return { resolved: await resolve(builtIn) };
  const deployments = openDeployments();
  // What is published cannot be opened before the key is known, which the secret of the own configuration has sealed.
  const own = given.signing === "service" ? await resolve(builtIn) : undefined;
  const settings = await withServiceKey(given, keySecretOf(own), { deployments, random });
  const stored = storeSource(deployments);
  const record = await deployments.readDeployment();
  const places =
    settings.source.protocol === "store:"
      ? { source: stored }
      : { source: await sourceOf(settings, environment, { fetch, clock }), kept: stored };
  const terms = { version: VERSION, now: clock.now(), record };
  const { used: resolved, ...starting } = await startPublished(settings, places, terms, (bundle) =>
    bundle === undefined && own !== undefined ? Promise.resolve(own) : resolve(bundle?.artifact ?? builtIn),
  );
  return { resolved, deployment: { settings, starting } };
}

function keySecretOf(resolved: ResolvedLive | undefined): Uint8Array<ArrayBuffer> | undefined {
  const secret = resolved?.configuration.oidcProvider?.keySecret;
  return secret === undefined ? undefined : fromBase64url(secret);
}

async function sourceOf(
  { source, limit }: DeploymentSettings,
  environment: Environment,
  { fetch, clock }: Pick<StartAtEdgePorts, "fetch" | "clock">,
): Promise<BundleSource> {
  if (isHosted(source)) {
    // Most instances have no use for it.
    const { hostedSource } = await import("../../lib/deployment/hosted-source.ts");
    return hostedSource(source, { fetch, environment, clock, limit });
  }
  return httpSource(source, fetch, { token: environment.SVC_CONFIG_TOKEN || undefined, limit });
}

export interface FollowAtEdgeOptions extends AuditEventPorts {
  readonly deployments: Deployments;
  /** See `FollowDeploymentOptions`. */
  readonly region: string | undefined;
  readonly takeOver: KeptLive["takeOver"];
  readonly artifact: KeptLive["artifact"];
  readonly environment: Environment;
  readonly runtime: "workers" | "lambda";
  readonly fetch: typeof globalThis.fetch;
  readonly logger: Logger;
}

/**
 * Follows what is published from what the instance started with. It looks with requests, behind their answers.
 *
 * @throws {DeploymentError} when it lies behind what was in use
 */
export async function followAtEdge(
  { settings, starting }: EdgeDeployment,
  { deployments, region, takeOver, artifact, environment, runtime, fetch, ...ports }: FollowAtEdgeOptions,
): Promise<FollowedDeployment> {
  const { logger } = ports;
  const { bundle, problems } = starting;
  const highest = await mustFollow(starting, deployments);
  for (const reason of problems) logger.warn("published configuration not available at the start", { reason });
  const isInStore = settings.source.protocol === "store:";
  const keep = async (one: OpenedBundle): Promise<void> => {
    if (!isInStore) await keepOnce(deployments, one);
    await raiseHighest(deployments, one.publication, activated(ports, one.publication));
  };
  // Others have noted it, as a rule.
  if (bundle !== undefined) await keep(bundle);
  return followDeployment({
    ...ports,
    settings,
    source: isInStore ? storeSource(deployments) : await sourceOf(settings, environment, { fetch, clock: ports.clock }),
    version: VERSION,
    started: bundle?.publication,
    highest,
    region,
    takeOver,
    artifact,
    keep,
    instance: { runtime, tell: deployments.tellInstance },
    // Many instances come and go: each says it in its log.
    onRefused: () => undefined,
  });
}

/** Another instance may have been faster. */
async function keepOnce(deployments: Deployments, bundle: OpenedBundle): Promise<void> {
  try {
    await keepPublication(deployments, bundle, { by: "source", events: [] });
  } catch (error) {
    if (!(error instanceof RevisionTakenError)) throw error;
  }
}
