import { ConfigurationError } from "../config/messages.ts";
import type { Clock } from "../kernel/clock.ts";
import { fromBase64 } from "../kernel/encoding.ts";
import { type Fields, readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { Deployments, InstanceRecord, PublishedRevision } from "../stores/deployments.ts";
import { artifactOf, BundleError, openBundle, type Publication } from "./bundle.ts";
import { type ConfigurationChange, configurationChanges } from "./changes.ts";
import type { DeploymentState, FollowedDeployment, JudgeOptions } from "./follow.ts";
import { GuardedError, type Hazard, hazardsOf } from "./guards.ts";
import { type Approval, bundleOf, keepPublication, RevisionTakenError } from "./records.ts";

export interface DeploymentPorts {
  readonly stores: { readonly deployments: Deployments };
  /** Absent: nothing is published for this instance. */
  readonly deployment?: FollowedDeployment | undefined;
}

/** What this instance says of itself, and what the store knows. */
export interface DescribedDeployment extends DeploymentState {
  readonly source: string;
  readonly highest: number;
  /** Who signs: `service` where instances sign what people publish at the Console. */
  readonly signing: "operator" | "service";
  /** How many people it takes to publish what instances sign. */
  readonly approvals: 1 | 2;
  /** Version of the proposal that waits for approval; absent: none does. */
  readonly proposal?: number;
  /** What instances have said of themselves, seen last first. */
  readonly instances: readonly InstanceRecord[];
}

/** @throws ProblemError `not_found` */
export async function describeDeployment(
  ports: DeploymentPorts & { readonly clock: Clock },
): Promise<DescribedDeployment> {
  const followed = followedOf(ports);
  const { deployments } = ports.stores;
  const [{ highest, proposal }, instances, state] = await Promise.all([
    deployments.readDeployment(),
    deployments.instances(ports.clock.now()),
    followed.state(),
  ]);
  const { signing = "operator", approvals = 1 } = followed.settings;
  return {
    ...{ ...state, source: followed.source, highest, signing, approvals, instances },
    ...(proposal !== undefined && ports.clock.now() < proposal.expiresAt && { proposal: proposal.version }),
  };
}

/** Latest first. @throws ProblemError `not_found` */
export async function listPublications(ports: DeploymentPorts): Promise<readonly PublishedRevision[]> {
  followedOf(ports);
  return (await ports.stores.deployments.readDeployment()).published.toReversed();
}

/**
 * Keeps a signed bundle where instances look, and has this one take it over. It was checked as they check it.
 *
 * @param input `{bundle, restart, force}`
 * @param event makes the record of the publication
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`, `conflict`
 */
export async function publishBundle(
  ports: DeploymentPorts,
  by: string,
  input: unknown,
  event: (publication: Publication) => AuditEvent,
): Promise<PublishedRevision> {
  const followed = followedOf(ports);
  if (!followed.isInStore)
    throw new ProblemError(
      "conflict",
      `Instances look at ${followed.source}: publish there, or set the source store:.`,
    );
  const { bytes, ...options } = readBundle(input);
  return takeIn(ports, { by, bytes, options, event, pointer: "/bundle" });
}

/** A bundle that is to be published. */
export interface Incoming {
  readonly by: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly options: JudgeOptions;
  /** Makes the record of the publication. */
  readonly event: (publication: Publication) => AuditEvent;
  /** The field of the request that is to blame. */
  readonly pointer: string;
  readonly approval?: Approval;
}

/** @throws ProblemError `invalid_field`, `conflict` */
export async function takeIn(
  ports: DeploymentPorts,
  { by, bytes, options, event, pointer, approval }: Incoming,
): Promise<PublishedRevision> {
  const followed = followedOf(ports);
  const { deployments } = ports.stores;
  const publication = await judged(followed, bytes, options, pointer);
  try {
    await keepPublication(deployments, { publication, bytes }, { by, events: [event(publication)], approval });
  } catch (error) {
    if (error instanceof RevisionTakenError) throw new ProblemError("conflict", error.message);
    if (error instanceof BundleError) throw refused([`The bundle ${error.message}.`], pointer);
    throw error;
  }
  if (followed.settings.reload) await followed.poll();
  const { published } = await deployments.readDeployment();
  const kept = published.find(({ revision }) => revision === publication.revision);
  if (kept === undefined) throw new Error("what was just published is not in the record");
  return kept;
}

/** What differs between two publications, and what the later one takes away. */
export interface PublicationChanges {
  readonly items: readonly ConfigurationChange[];
  readonly hazards: readonly Hazard[];
}

/**
 * What differs between two publications.
 *
 * @param from absent: the one that is kept before it
 * @throws ProblemError `not_found`
 */
export async function changesOf(
  ports: DeploymentPorts,
  revision: number,
  from: number | undefined,
): Promise<PublicationChanges> {
  const followed = followedOf(ports);
  const { deployments } = ports.stores;
  const kept = (await deployments.readDeployment()).published.filter(({ bundle }) => bundle !== undefined);
  const at = kept.findIndex((one) => one.revision === revision);
  const [later, earlier] = [kept[at], from === undefined ? kept[at - 1] : kept.find((one) => one.revision === from)];
  if (later === undefined || earlier === undefined)
    throw new ProblemError("not_found", "One of the two revisions is not kept.");
  const [former, latter] = await Promise.all(
    [earlier, later].map(async (one) =>
      artifactOf(await openBundle(await bundleOf(deployments, one), followed.settings.keys)),
    ),
  );
  if (former === undefined || latter === undefined) return { items: [], hazards: [] };
  return {
    items: configurationChanges(former, latter),
    hazards: hazardsOf(former.document, latter.document),
  };
}

/** @throws ProblemError `not_found` */
export function followedOf({ deployment }: DeploymentPorts): FollowedDeployment {
  if (deployment !== undefined) return deployment;
  throw new ProblemError("not_found", "Nothing is published for this instance: SVC_CONFIG_SOURCE is not set.");
}

function readBundle(input: unknown): JudgeOptions & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const fields = readFields(input ?? {}, ["bundle", "restart", "force"]);
  const { bundle } = fields.object;
  const isBase64 =
    typeof bundle === "string" && bundle !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(bundle) && bundle.length % 4 === 0;
  if (!isBase64) fields.refuse("/bundle", "must be the base64 of a bundle");
  const options = optionFields(fields);
  fields.finish();
  return { bytes: fromBase64(String(bundle)), ...options };
}

/** Hazards of one publication that can be named. */
const MOST_WORDS = 1_000;

/** `restart` and `force`. */
export function optionFields(fields: Fields): JudgeOptions {
  const { restart = false, force = [] } = fields.object;
  if (typeof restart !== "boolean") fields.refuse("/restart", "must be true or false");
  const areWords = Array.isArray(force) && force.length <= MOST_WORDS && force.every((one) => typeof one === "string");
  if (!areWords) fields.refuse("/force", `must be a list of at most ${MOST_WORDS} texts`);
  return { mayRestart: restart === true, force: areWords ? force : [] };
}

/** @throws ProblemError `invalid_field`, in the words of an instance that would refuse it */
export async function judged(
  followed: FollowedDeployment,
  bytes: Uint8Array<ArrayBuffer>,
  options: JudgeOptions,
  pointer: string,
): Promise<Publication> {
  try {
    return await followed.judge(bytes, options);
  } catch (error) {
    if (error instanceof GuardedError) throw refused([`The bundle ${error.message}.`], "/force");
    if (error instanceof BundleError) throw refused([`The bundle ${error.message}.`], pointer);
    if (error instanceof ConfigurationError)
      throw refused(
        error.messages.map(({ path, message }) => `${path}: ${message}`),
        pointer,
      );
    throw error;
  }
}

export function refused(details: readonly string[], pointer: string): ProblemError {
  const fields = details.map((detail) => ({ pointer, detail }));
  return new ProblemError("invalid_field", details[0] ?? "The bundle cannot be used.", { fields });
}
