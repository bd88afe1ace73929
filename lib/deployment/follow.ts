import type { ConfigurationArtifact } from "../config/artifact.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Accept, KeptLive, SecretsByReference } from "../config/live-configuration.ts";
import { ConfigurationError } from "../config/messages.ts";
import type { Maintenance } from "../health/component.ts";
import type { Clock } from "../kernel/clock.ts";
import { base64url } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";
import { jitterOf } from "../kernel/refreshing-cache.ts";
import { causeOf } from "../logging/cause.ts";
import { reportTo } from "../logging/fetch-report.ts";
import type { Logger } from "../logging/logger.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { artifactOf, BundleError, type OpenedBundle, openBundle, type Publication } from "./bundle.ts";
import { hazardsOf, mustBeMeant } from "./guards.ts";
import { createInstanceStatus, type InstanceStatusOptions } from "./instance-status.ts";
import { objectionTo, restartKeys } from "./objections.ts";
import { createProbeRoom, type ProbeRoom } from "./probe-room.ts";
import type { DeploymentSettings } from "./settings.ts";
import { type BundleSource, type FoundBundle, NothingPublishedError } from "./source.ts";

/** What an instance says of the configuration that was published for it. Times in milliseconds since the epoch. */
export interface DeploymentState {
  readonly deployment: string;
  /** Absent: nothing that was published is in use. */
  readonly active?: { readonly revision: number; readonly digest: string; readonly since: number };
  /** The latest that was refused, until another one is in use. */
  readonly refused?: { readonly revision?: number; readonly at: number; readonly reason: string };
}

export interface FollowDeploymentOptions {
  readonly settings: DeploymentSettings;
  readonly source: BundleSource;
  /** The release of the product. */
  readonly version: string;
  /** What the instance has started with; absent: with something that was not published. */
  readonly started?: Publication | undefined;
  /** The highest revision that was in use in this deployment when the instance started. */
  readonly highest: number;
  /** Of the instance's authorization server; absent: it has none. */
  readonly region: string | undefined;
  /** Has another artifact in use, or rejects: see `KeptLive`. */
  readonly takeOver: KeptLive["takeOver"];
  /** What is in use. */
  readonly artifact: () => ConfigurationArtifact;
  /** Keeps for the next start that this one is in use. Rejects: then it is not taken over. */
  readonly keep: (bundle: OpenedBundle) => Promise<void>;
  /** Told when another one is in use. What it does is awaited: other processes of the instance follow, for example. */
  readonly onActivated?: (bundle: OpenedBundle, secrets: SecretsByReference) => Promise<void>;
  /** Told of each that is refused, once. */
  readonly onRefused: (reason: string, publication: Publication | undefined) => void;
  /** How the store is told what this instance uses; absent: it is not. */
  readonly instance?: Pick<InstanceStatusOptions, "runtime" | "tell">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface JudgeOptions {
  /** Also what takes a restart. */
  readonly mayRestart: boolean;
  /** Words of hazards that are meant (`guards.ts`). */
  readonly force: readonly string[];
}

/** Follows what is published for a deployment (D235). */
export interface FollowedDeployment {
  readonly settings: DeploymentSettings;
  /** Its name, without credentials. */
  readonly source: string;
  /** Whether bundles are published into the own store. */
  readonly isInStore: boolean;
  /** Of the instance's authorization server; absent: it has none. */
  readonly region: string | undefined;
  /** What is in use, also when it was not published. */
  readonly artifact: () => ConfigurationArtifact;
  /** A promise where another process follows. */
  readonly state: () => DeploymentState | Promise<DeploymentState>;
  /**
   * What a bundle publishes, when this instance could take it over now, or by a restart where that is meant. Nothing comes of it.
   * @throws BundleError, also a GuardedError; ConfigurationError
   */
  readonly judge: (bytes: Uint8Array<ArrayBuffer>, options: JudgeOptions) => Promise<Publication>;
  /** Looks at the source when it is time; cheap when it is not. */
  readonly refresh: (maintenance: Maintenance) => void;
  /** Looks now. Never rejects. */
  readonly poll: (signal?: AbortSignal) => Promise<void>;
  /** Addresses that are asked on behalf of those who write the next configuration. */
  readonly probes: ProbeRoom;
  /** Counts from now on what is taken over and what is refused. */
  readonly countIn: (telemetry: Pick<Telemetry, "record">) => void;
}

/** Milliseconds: after failures the interval doubles up to this. */
const LONGEST_INTERVAL = 600_000;
/** A look that takes longer counts as lost, milliseconds. */
const LOOK_LIMIT = 60_000;
/** What could not be taken over for a moment is tried again after so long, doubling, milliseconds. */
const SHORTEST_RETRY = 5_000;
const LONGEST_RETRY = 60_000;
/** How much of the interval is left to chance, so that instances do not ask all at once. */
const SPREAD = 0.2;

/** It changes what an instance has from its start alone. */
class RestartError extends BundleError {
  constructor(keys: readonly string[]) {
    super(`changes what an instance has from its start alone: ${keys.join(", ")}. Restart the instances to use it`);
  }
}

/** Followed by this process. */
export interface FollowedHere extends FollowedDeployment {
  readonly state: () => DeploymentState;
}

export function followDeployment(options: FollowDeploymentOptions): FollowedHere {
  const { settings, source, version, region, takeOver, keep, clock, random, logger } = options;
  const report = reportTo(logger, "published configuration", { source: source.name });
  const first = options.started;
  let active = first && { revision: first.revision, digest: first.digest, since: clock.now() };
  let refused: DeploymentState["refused"];
  let { highest } = options;
  let tag: string | undefined;
  let considered: string | undefined;
  let failures = 0;
  /** How often what is there now could not be taken over for a moment, and when it is tried again. */
  let attempts = 0;
  let retryAt: number | undefined;
  let telemetry: Pick<Telemetry, "record"> | undefined;
  let lookingSince: number | undefined;
  let lookedAt = clock.now();
  let pause = settings.interval;
  const startedAt = clock.now();
  const status =
    options.instance &&
    createInstanceStatus({ ...options.instance, interval: settings.interval, clock, random, logger });

  function mustAccept(publication: Publication): void {
    const terms = { deployment: settings.deployment, region, version, highest, now: clock.now() };
    const objection = objectionTo(publication, terms);
    if (objection !== undefined) throw new BundleError(objection);
  }

  function mustFit(next: Configuration, running: Configuration): void {
    const keys = restartKeys(running, next);
    if (keys.length > 0) throw new RestartError(keys);
  }

  /** Instances that start with it would refuse it. */
  function mustBeOf({ region: named }: Publication, { oidcProvider }: Configuration): void {
    if (oidcProvider?.region === named) return;
    throw new BundleError(
      `is for the region ${named ?? "(none)"}, and its configuration has ${oidcProvider?.region ?? "none"}`,
    );
  }

  const judge: FollowedDeployment["judge"] = async (bytes, { mayRestart, force }) => {
    const publication = await openBundle(bytes, settings.keys, settings.limit);
    mustAccept(publication);
    const artifact = artifactOf(publication);
    const judged = new Error("it could be taken over");
    const accept: Accept = async (next, running, { document }) => {
      if (!mayRestart) mustFit(next, running);
      mustBeOf(publication, next);
      mustBeMeant(hazardsOf(document, artifact.document), force);
      // Nothing is to be swapped.
      throw judged;
    };
    await takeOver(artifact, accept).catch((cause: unknown) => {
      if (cause !== judged) throw cause;
    });
    return publication;
  };

  /** @param isDue whether what was there before is tried again */
  async function consider({ bytes, tag: found }: FoundBundle, isDue: boolean): Promise<void> {
    // Not every source can tell whether it is still the same.
    const digest = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    if (digest === considered && !isDue) return;
    if (digest !== considered) attempts = 0;
    let publication: Publication | undefined;
    let isFinal = true;
    try {
      publication = await openBundle(bytes, settings.keys, settings.limit);
      if (publication.revision === active?.revision && publication.digest === active.digest) return;
      mustAccept(publication);
      await use({ publication, artifact: artifactOf(publication), bytes });
    } catch (error) {
      refuse(error, publication);
      // What the bundle says stays wrong; a secret, a file or a store may come back, or a renewed secret be in use.
      isFinal = error instanceof BundleError && !(error instanceof RestartError);
    } finally {
      // Not before: a runtime may end this midway, and then it is to be looked at again.
      [tag, considered] = [found, digest];
      attempts = isFinal ? 0 : attempts + 1;
      retryAt = isFinal ? undefined : clock.now() + Math.min(LONGEST_RETRY, SHORTEST_RETRY * 2 ** (attempts - 1));
    }
  }

  async function use(bundle: OpenedBundle): Promise<void> {
    const { publication, artifact } = bundle;
    const { revision, digest } = publication;
    const { secrets } = await takeOver(artifact, async (next, running) => {
      mustFit(next, running);
      await keep(bundle);
    });
    highest = revision;
    active = { revision, digest, since: clock.now() };
    refused = undefined;
    telemetry?.record("countersign.config.activated", 1, {});
    logger.info("published configuration in use", { deploymentRevision: revision, digest });
    await options.onActivated?.(bundle, secrets);
  }

  function refuse(error: unknown, publication: Publication | undefined): void {
    const reason = error instanceof BundleError ? `The bundle ${error.message}.` : causeOf(error);
    const revision = publication?.revision;
    if (refused?.reason === reason && refused.revision === revision) return;
    refused = { at: clock.now(), reason, ...(revision !== undefined && { revision }) };
    logger.error("a published configuration is not taken over; what runs stays in use", {
      source: source.name,
      ...(revision !== undefined && { deploymentRevision: revision }),
      reason,
    });
    telemetry?.record("countersign.config.refused", 1, { "countersign.outcome": kindOf(error) });
    options.onRefused(reason, publication);
  }

  // A runtime may have ended one midway.
  const isLooking = () => lookingSince !== undefined && Math.abs(clock.now() - lookingSince) < LOOK_LIMIT;

  async function poll(signal?: AbortSignal): Promise<void> {
    if (isLooking()) return;
    lookingSince = clock.now();
    try {
      const isDue = retryAt !== undefined && clock.now() >= retryAt;
      const found = await source.read(isDue ? undefined : tag, signal);
      if (found !== undefined) await consider(found, isDue);
      if (failures > 0) report.succeeded(failures);
      failures = 0;
    } catch (cause) {
      if (signal?.aborted) return;
      // That nobody has published yet is no failure: what comes is not to wait for long.
      const isNothingYet = cause instanceof NothingPublishedError && active === undefined;
      failures = isNothingYet ? 0 : failures + 1;
      if (isNothingYet) logger.debug("nothing is published yet", { source: source.name });
      else report.failed(cause, { failures, value: active });
    } finally {
      lookingSince = undefined;
      lookedAt = clock.now();
      const interval = Math.min(LONGEST_INTERVAL, settings.interval * 2 ** failures);
      pause = Math.max(settings.interval, interval) * (1 - SPREAD * jitterOf(random));
    }
  }

  const instanceState = () => ({
    ...(active !== undefined && { revision: active.revision }),
    since: active?.since ?? startedAt,
    ...(refused !== undefined && { problem: refused.reason }),
  });

  async function tellStore(): Promise<void> {
    if (status?.isDue(instanceState())) await status.tell(instanceState());
  }

  return {
    settings,
    source: source.name,
    isInStore: settings.source.protocol === "store:",
    region,
    artifact: options.artifact,
    judge,
    state: () => ({
      deployment: settings.deployment,
      ...(active !== undefined && { active }),
      ...(refused !== undefined && { refused }),
    }),
    poll,
    probes: createProbeRoom(clock),
    countIn: (counter) => {
      telemetry = counter;
    },
    refresh: ({ waitUntil, signal }) => {
      if (settings.reload && !isLooking() && Math.abs(clock.now() - lookedAt) >= pause)
        waitUntil(poll(signal).then(tellStore));
      else if (!isLooking() && status?.isDue(instanceState())) waitUntil(tellStore());
    },
  };
}

/** Why something is refused, in one of few words: its restart, its bundle, its configuration, or what it was to be taken over with. */
function kindOf(error: unknown): string {
  if (error instanceof RestartError) return "restart";
  if (error instanceof BundleError) return "bundle";
  return error instanceof ConfigurationError ? "configuration" : "error";
}
