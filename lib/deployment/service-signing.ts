import type { Clock } from "../kernel/clock.ts";
import { utf8 } from "../kernel/encoding.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { PublishedRevision } from "../stores/deployments.ts";
import { type DeploymentPorts, followedOf, type Incoming, takeIn } from "./administration.ts";
import { type Publication, signBundle } from "./bundle.ts";
import type { FollowedDeployment, JudgeOptions } from "./follow.ts";
import { latestRevision } from "./records.ts";
import type { DeploymentSettings } from "./settings.ts";

export interface ServicePublishingPorts extends DeploymentPorts {
  readonly clock: Clock;
}

/** What a record says of a publication. */
export type Recorded = Pick<Publication, "revision" | "digest" | "publishedBy" | "reason" | "rollbackOf">;

/** Who publishes at an instance that signs. */
export interface ServicePublisher {
  /** `user_…` or `client_…`. */
  readonly id: string;
  /** For the bundle: an address, or the id. */
  readonly name: string;
  /** Rejects when a person has not shown lately who they are. */
  readonly prove: () => Promise<void>;
  /** Makes the records of what they do. */
  readonly events: {
    /** @param proposedBy the id of who has proposed it; absent: nobody else had to */
    published(about: Recorded, proposedBy?: string): AuditEvent;
    proposed(about: Recorded): AuditEvent;
    proposalWithdrawn(about: Recorded): AuditEvent;
  };
}

/** What is to be signed, as its publisher has asked for it. */
export type ToBeSigned = Pick<Publication, "revision" | "rollbackOf" | "reason" | "digest" | "artifact">;

/** A publication that was asked for. */
export interface Asked {
  readonly about: ToBeSigned;
  readonly options: JudgeOptions;
  /** The field of the request that is to blame. */
  readonly pointer: string;
}

export interface Signing {
  readonly followed: FollowedDeployment;
  readonly signer: NonNullable<DeploymentSettings["signer"]>;
}

/** @throws ProblemError `not_found`; `conflict` where instances do not sign */
export function signing(ports: DeploymentPorts): Signing {
  const followed = followedOf(ports);
  const { signer } = followed.settings;
  if (signer !== undefined) return { followed, signer };
  throw new ProblemError(
    "conflict",
    "Operators sign what is published for this instance: use countersign publish with their key, or set SVC_CONFIG_SIGNING=service with the source store:.",
  );
}

/** So that nobody replaces what they have not seen. @throws ProblemError `conflict` */
export async function mustBeNext({ stores }: DeploymentPorts, revision: number): Promise<void> {
  const latest = latestRevision(await stores.deployments.readDeployment());
  if (revision !== latest + 1)
    throw new ProblemError("conflict", `Revision ${latest} is the latest: the next one is ${latest + 1}.`);
}

/**
 * Takes in what must be the next revision. Whoever comes too late is told so, also where the revision is in use by now and the
 * instance would refuse it for that.
 */
export async function takeNext(
  ports: DeploymentPorts,
  revision: number,
  incoming: Incoming,
): Promise<PublishedRevision> {
  try {
    return await takeIn(ports, incoming);
  } catch (error) {
    await mustBeNext(ports, revision);
    throw error;
  }
}

/**
 * The bundle, signed with the key of the instances and packed.
 * @param name of its publisher
 */
export async function signedBundle(
  ports: ServicePublishingPorts,
  about: ToBeSigned,
  name: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { followed, signer } = signing(ports);
  const publication: Publication = {
    deployment: followed.settings.deployment,
    region: followed.region,
    publishedAt: new Date(ports.clock.now()).toISOString(),
    publishedBy: name.slice(0, LONGEST_NAME),
    ...about,
  };
  return gzip(await signBundle(publication, signer.key, signer.kid));
}

/** Characters that a bundle has room for. */
const LONGEST_NAME = 200;

/** RFC 1952. A text in a text has many escapes, which it takes away. */
async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([utf8(text)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
