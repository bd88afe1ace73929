import type { Clock } from "../kernel/clock.ts";
import { utf8 } from "../kernel/encoding.ts";
import { readFields, textField } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { PublishedRevision } from "../stores/deployments.ts";
import { type DeploymentPorts, followedOf, optionFields, refused, takeIn } from "./administration.ts";
import { BundleError, digestOf, openBundle, type Publication, signBundle } from "./bundle.ts";
import { HIDDEN_SECRET } from "./changes.ts";
import type { FollowedDeployment, JudgeOptions } from "./follow.ts";
import { bundleOf, latestRevision } from "./records.ts";
import type { DeploymentSettings } from "./settings.ts";

export interface ServicePublishingPorts extends DeploymentPorts {
  readonly clock: Clock;
}

/** Who publishes at an instance that signs. */
export interface ServicePublisher {
  /** `user_…` or `client_…`. */
  readonly id: string;
  /** For the bundle: an address, or the id. */
  readonly name: string;
  /** Rejects when a person has not shown lately who they are. */
  readonly prove: () => Promise<void>;
  /** Makes the record of the publication. */
  readonly event: (publication: Publication) => AuditEvent;
}

/**
 * Signs a compiled configuration and publishes it as an operator's bundle is published (D241).
 *
 * @param input `{artifact, revision, reason, restart, force}`
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`, `conflict`, `recent_sign_in_required`
 */
export async function publishArtifact(
  ports: ServicePublishingPorts,
  publisher: ServicePublisher,
  input: unknown,
): Promise<PublishedRevision> {
  const fields = readFields(input ?? {}, ["artifact", "revision", "reason", "restart", "force"]);
  const { artifact, reason: given } = fields.object;
  if (typeof artifact !== "string" || artifact === "")
    fields.refuse("/artifact", "must be the text of a compiled configuration");
  const revision = revisionField(fields, "revision");
  const reason = given === undefined ? undefined : textField(fields, "reason", REASON);
  const options = optionFields(fields);
  fields.finish();
  const { followed, signer } = signing(ports);
  await mustBeNext(ports, revision);
  await publisher.prove();
  const text = String(artifact);
  if (text.includes(JSON.stringify(HIDDEN_SECRET)))
    throw refused(
      [`${HIDDEN_SECRET} stands in the place of a secret that was not shown: write a reference to it.`],
      "/artifact",
    );
  const about = { revision, ...(reason !== undefined && { reason }), digest: await digestOf(text), artifact: text };
  return signed(ports, { followed, signer, publisher, about, options, pointer: "/artifact" });
}

/**
 * Publishes what an earlier revision had again, under the next number.
 *
 * @param input `{to, revision, reason, restart, force}`
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`, `conflict`, `recent_sign_in_required`
 */
export async function rollBack(
  ports: ServicePublishingPorts,
  publisher: ServicePublisher,
  input: unknown,
): Promise<PublishedRevision> {
  const fields = readFields(input ?? {}, ["to", "revision", "reason", "restart", "force"]);
  const [to, revision] = [revisionField(fields, "to"), revisionField(fields, "revision")];
  const reason = textField(fields, "reason", REASON);
  const options = optionFields(fields);
  fields.finish();
  const { followed, signer } = signing(ports);
  await mustBeNext(ports, revision);
  await publisher.prove();
  const { digest, artifact } = await formerly(ports, followed, to);
  const about = { revision, rollbackOf: to, reason, digest, artifact };
  return signed(ports, { followed, signer, publisher, about, options, pointer: "/to" });
}

const REASON = { min: 1, max: 500, multiline: true };

function revisionField(fields: ReturnType<typeof readFields>, name: string): number {
  const value = fields.object[name];
  if (Number.isSafeInteger(value) && Number(value) >= 1) return Number(value);
  fields.refuse(`/${name}`, "must be a revision: a whole number from 1 on");
  return 0;
}

type Signer = NonNullable<DeploymentSettings["signer"]>;

/** @throws ProblemError `conflict`, where instances do not sign */
function signing(ports: DeploymentPorts): { readonly followed: FollowedDeployment; readonly signer: Signer } {
  const followed = followedOf(ports);
  const { signer } = followed.settings;
  if (signer !== undefined) return { followed, signer };
  throw new ProblemError(
    "conflict",
    "Operators sign what is published for this instance: use countersign publish with their key, or set SVC_CONFIG_SIGNING=service with the source store:.",
  );
}

/** So that nobody replaces what they have not seen. */
async function mustBeNext({ stores }: DeploymentPorts, revision: number): Promise<void> {
  const latest = latestRevision(await stores.deployments.readDeployment());
  if (revision !== latest + 1)
    throw new ProblemError("conflict", `Revision ${latest} is the latest: the next one is ${latest + 1}.`);
}

async function formerly(ports: DeploymentPorts, { settings }: FollowedDeployment, to: number): Promise<Publication> {
  const { deployments } = ports.stores;
  const { published } = await deployments.readDeployment();
  const kept = published.find(({ revision, bundle }) => revision === to && bundle !== undefined);
  if (kept === undefined) throw new ProblemError("not_found", `Revision ${to} is not kept.`);
  try {
    return await openBundle(await bundleOf(deployments, kept), settings.keys, settings.limit);
  } catch (error) {
    if (error instanceof BundleError) throw refused([`The bundle ${error.message}.`], "/to");
    throw error;
  }
}

interface ToBeSigned {
  readonly followed: FollowedDeployment;
  readonly signer: Signer;
  readonly publisher: ServicePublisher;
  readonly about: Pick<Publication, "revision" | "rollbackOf" | "reason" | "digest" | "artifact">;
  readonly options: JudgeOptions;
  readonly pointer: string;
}

async function signed(
  ports: ServicePublishingPorts,
  { followed, signer, publisher, about, options, pointer }: ToBeSigned,
): Promise<PublishedRevision> {
  const publication: Publication = {
    deployment: followed.settings.deployment,
    region: followed.region,
    publishedAt: new Date(ports.clock.now()).toISOString(),
    publishedBy: publisher.name.slice(0, LONGEST_NAME),
    ...about,
  };
  const bytes = await gzip(await signBundle(publication, signer.key, signer.kid));
  const { id: by, event } = publisher;
  return takeIn(ports, { by, bytes, options, event, pointer });
}

/** Characters that a bundle has room for. */
const LONGEST_NAME = 200;

/** RFC 1952. A text in a text has many escapes, which it takes away. */
async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([utf8(text)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
