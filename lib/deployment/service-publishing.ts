import type { ConfigurationArtifact } from "../config/artifact.ts";
import { readFields, textField } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { PublishedRevision } from "../stores/deployments.ts";
import { type DeploymentPorts, optionFields, refused } from "./administration.ts";
import { artifactOf, BundleError, digestOf, openBundle, type Publication } from "./bundle.ts";
import { HIDDEN_SECRET } from "./changes.ts";
import { latestArtifact } from "./document.ts";
import type { FollowedDeployment } from "./follow.ts";
import { NOT_KEPT, withKeptSecrets } from "./kept-secrets.ts";
import { type Proposal, type ProposalPorts, propose } from "./proposals.ts";
import { bundleOf } from "./records.ts";
import { type Asked, mustBeNext, type ServicePublisher, signedBundle, signing, takeNext } from "./service-signing.ts";

/** What became of it: it is published, or, where it takes a second person, proposed. */
export type Outcome = { readonly published: PublishedRevision } | { readonly proposed: Proposal };

/**
 * Signs a compiled configuration and publishes it as an operator's bundle is published (D241). Where it takes a second person, it is
 * proposed to them (D246).
 *
 * @param input `{artifact, revision, reason, restart, force}`
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`, `conflict`, `recent_sign_in_required`
 */
export async function publishArtifact(
  ports: ProposalPorts,
  publisher: ServicePublisher,
  input: unknown,
): Promise<Outcome> {
  const fields = readFields(input ?? {}, ["artifact", "revision", "reason", "restart", "force"]);
  const { artifact, reason: given } = fields.object;
  if (typeof artifact !== "string" || artifact === "")
    fields.refuse("/artifact", "must be the text of a compiled configuration");
  const revision = revisionField(fields, "revision");
  const reason = given === undefined ? undefined : textField(fields, "reason", REASON);
  const options = optionFields(fields);
  fields.finish();
  signing(ports);
  await mustBeNext(ports, revision);
  return carryOut(ports, publisher, async () => {
    const text = await withSecretsInUse(ports, String(artifact));
    const about = { revision, ...(reason !== undefined && { reason }), digest: await digestOf(text), artifact: text };
    return { about, options, pointer: "/artifact" };
  });
}

/**
 * Publishes what an earlier revision had again, under the next number, or proposes it.
 *
 * @param input `{to, revision, reason, restart, force}`
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`, `conflict`, `recent_sign_in_required`
 */
export async function rollBack(ports: ProposalPorts, publisher: ServicePublisher, input: unknown): Promise<Outcome> {
  const fields = readFields(input ?? {}, ["to", "revision", "reason", "restart", "force"]);
  const [to, revision] = [revisionField(fields, "to"), revisionField(fields, "revision")];
  const reason = textField(fields, "reason", REASON);
  const options = optionFields(fields);
  fields.finish();
  const { followed } = signing(ports);
  await mustBeNext(ports, revision);
  return carryOut(ports, publisher, async () => {
    const { digest, artifact } = await formerly(ports, followed, to);
    return { about: { revision, rollbackOf: to, reason, digest, artifact }, options, pointer: "/to" };
  });
}

/** Secrets that the document keeps, as who publishes is not shown them. @throws ProblemError `invalid_field` */
async function withSecretsInUse(ports: DeploymentPorts, text: string): Promise<string> {
  const hidden = JSON.stringify(HIDDEN_SECRET);
  const artifact = text.includes(hidden) ? readArtifact(text) : undefined;
  // What is no artifact is refused with all its reasons later.
  if (artifact === undefined) return text;
  const found = withKeptSecrets(artifact, await latestArtifact(ports));
  if ("unknown" in found)
    throw refused(
      found.unknown.map((place) => `${place}: ${NOT_KEPT}.`),
      "/artifact",
    );
  return JSON.stringify(found.artifact);
}

function readArtifact(text: string): ConfigurationArtifact | undefined {
  try {
    const { published: _, ...artifact } = artifactOf({ artifact: text, revision: 0, digest: "" });
    return artifact;
  } catch (error) {
    if (error instanceof BundleError) return undefined;
    throw error;
  }
}

const REASON = { min: 1, max: 500, multiline: true };

function revisionField(fields: ReturnType<typeof readFields>, name: string): number {
  const value = fields.object[name];
  if (Number.isSafeInteger(value) && Number(value) >= 1) return Number(value);
  fields.refuse(`/${name}`, "must be a revision: a whole number from 1 on");
  return 0;
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

/** @param ask what is to be published, once the publisher has shown who they are */
async function carryOut(
  ports: ProposalPorts,
  publisher: ServicePublisher,
  ask: () => Promise<Asked>,
): Promise<Outcome> {
  const { followed } = signing(ports);
  if (followed.settings.approvals === 2) return { proposed: await propose(ports, publisher, ask) };
  await publisher.prove();
  const { about, options, pointer } = await ask();
  const bytes = await signedBundle(ports, about, publisher.name);
  const { id: by, events } = publisher;
  const incoming = { by, bytes, options, event: events.published, pointer };
  return { published: await takeNext(ports, about.revision, incoming) };
}
