import { base64url, utf8 } from "../kernel/encoding.ts";
import { readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Random } from "../kernel/random.ts";
import type { DeploymentRecord, ProposalRecord, PublishedRevision } from "../stores/deployments.ts";
import { followedOf, judged } from "./administration.ts";
import { artifactOf, digestOf, type Publication } from "./bundle.ts";
import { type ConfigurationChange, configurationChanges } from "./changes.ts";
import { latestArtifact, type ShownDocument, shownDocument } from "./document.ts";
import { type Hazard, hazardsOf } from "./guards.ts";
import { joinedPieces, pieceCount, piecesOf } from "./pieces.ts";
import { type KeyGiving, keyGiving, mayStillPublish, type ProposerPorts } from "./proposers.ts";
import { change, latestRevision } from "./records.ts";
import {
  type Asked,
  type Recorded,
  type ServicePublisher,
  type ServicePublishingPorts,
  signedBundle,
  signing,
  takeNext,
} from "./service-signing.ts";

export interface ProposalPorts extends ServicePublishingPorts {
  readonly random: Random;
  readonly stores: ServicePublishingPorts["stores"] & ProposerPorts["stores"];
}

/** A publication that waits for a second person (D246). */
export interface Proposal extends Omit<ProposalRecord, "name" | "bytes"> {
  /** Why nobody can approve it any more; absent: somebody can. */
  readonly void?: string;
}

/** What a proposal is about, for those who may approve it. */
export interface ProposalContents extends Omit<ShownDocument, "revision"> {
  /** Against what was published last, or else what is in use. */
  readonly changes: readonly ConfigurationChange[];
  /** What it takes away from what this instance has in use. */
  readonly hazards: readonly Hazard[];
  /** Words that its proposer has given. */
  readonly force: readonly string[];
}

/** Seven days: whoever has not approved it by then decides on another configuration than they think. Milliseconds. */
const LIFETIME = 604_800_000;
/** Somebody may withdraw it and propose another one while it is read; each time one of them has succeeded. */
const ATTEMPTS = 10;

/**
 * Checks a publication as it is checked when it is published, and keeps it until another person approves it.
 *
 * @param ask what is to be published, once the proposer has shown who they are
 * @throws ProblemError `conflict` while there is another one; `invalid_field`; what `prove` and `ask` throw
 */
export async function propose(
  ports: ProposalPorts,
  proposer: ServicePublisher,
  ask: () => Promise<Asked>,
): Promise<Proposal> {
  const { followed } = signing(ports);
  const { deployments } = ports.stores;
  const found = proposalIn(await deployments.readDeployment(), ports);
  const isVoid = found !== undefined && (await voidness(ports, found)) !== undefined;
  const mustBeFree = (record: DeploymentRecord): void => {
    const other = proposalIn(record, ports);
    if (other === undefined || (isVoid && other.version === found.version)) return;
    throw new ProblemError(
      "conflict",
      `${other.proposedBy} has proposed revision ${other.revision}: it has to be approved or withdrawn first.`,
    );
  };
  mustBeFree(await deployments.readDeployment());
  await proposer.prove();
  const { about, options, pointer } = await ask();
  // No bundle exists before somebody has approved it: this one is forgotten.
  await judged(followed, await signedBundle(ports, about, proposer.name), options, pointer);
  // What cannot be shown is not kept: nobody could tell what they approve.
  await contentsOf(ports, about, options.force);
  const { artifact, ...more } = about;
  const bytes = utf8(JSON.stringify({ artifact, force: options.force }));
  const name = `proposal-${base64url(ports.random.bytes(16))}`;
  await Promise.all(piecesOf(name, bytes).map(deployments.keepPiece));
  const proposedAt = ports.clock.now();
  const proposal = {
    ...{ name, bytes: bytes.length, restart: options.mayRestart, proposedAt, expiresAt: proposedAt + LIFETIME },
    ...{ revision: more.revision, digest: more.digest, proposedBy: proposer.name, by: proposer.id },
    ...(more.reason !== undefined && { reason: more.reason }),
    ...(more.rollbackOf !== undefined && { rollbackOf: more.rollbackOf }),
  };
  const events = [proposer.events.proposed(recorded(proposal))];
  const kept = await change(deployments, events, (record) => {
    mustBeFree(record);
    const latest = latestRevision(record);
    if (proposal.revision !== latest + 1) throw new ProblemError("conflict", takenBy(latest));
    return { ...record, proposal: { ...proposal, version: record.version + 1 } };
  }).catch(async (error: unknown) => {
    // Of any other failure nobody knows whether it was kept.
    if (error instanceof ProblemError) await drop(ports, proposal);
    throw error;
  });
  if (kept?.former.proposal !== undefined) await drop(ports, kept.former.proposal);
  return shown({ ...proposal, version: kept?.record.version ?? 0 });
}

/**
 * The proposal of the deployment, of which there is one.
 *
 * @param isWhole whether the caller may know what it says
 * @throws ProblemError `not_found`
 */
export async function readProposal(
  ports: ProposalPorts,
  isWhole: boolean,
): Promise<Proposal & { readonly contents?: ProposalContents }> {
  followedOf(ports);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const proposal = mustBeThere(await ports.stores.deployments.readDeployment(), ports);
    const why = await voidness(ports, proposal);
    const summary = { ...shown(proposal), ...(why !== undefined && { void: why }) };
    if (!isWhole) return summary;
    const content = await contentOf(ports, proposal);
    if (content === undefined) continue;
    return {
      ...summary,
      contents: await contentsOf(ports, { ...proposal, artifact: content.artifact }, content.force),
    };
  }
  throw new Error("the proposal is not whole in the store");
}

async function contentsOf(
  ports: ProposalPorts,
  about: Pick<Publication, "artifact" | "revision" | "digest">,
  force: readonly string[],
): Promise<ProposalContents> {
  const artifact = artifactOf(about);
  const { document, hidden } = shownDocument(artifact);
  const changes = configurationChanges(await latestArtifact(ports), artifact);
  const hazards = hazardsOf(followedOf(ports).artifact().document, artifact.document);
  return { document, hidden, changes, hazards, force };
}

/**
 * Publishes exactly what somebody else has proposed, checked again.
 *
 * @param input `{digest}`
 * @param expected version of the proposal; undefined: the digest alone says which one is meant
 * @throws ProblemError `not_found`, `invalid_body`, `invalid_field`, `conflict`, `stale`, `recent_sign_in_required`; `forbidden` for
 * its proposer, and for who has given an API client its key that proposed it, or may have
 */
export async function approveProposal(
  ports: ProposalPorts,
  approver: ServicePublisher,
  input: unknown,
  expected: number | undefined,
): Promise<PublishedRevision> {
  const fields = readFields(input ?? {}, ["digest"]);
  const { digest } = fields.object;
  if (typeof digest !== "string") fields.refuse("/digest", "must be the digest of the proposal");
  fields.finish();
  signing(ports);
  const proposal = mustBeThere(await ports.stores.deployments.readDeployment(), ports);
  mustBe(proposal, expected);
  if (proposal.digest !== digest)
    throw new ProblemError("conflict", "Something else is proposed than what has this digest: look at it first.");
  if (proposal.by === approver.id)
    throw new ProblemError("forbidden", "You have proposed it: another owner has to approve it.");
  const why = await voidness(ports, proposal);
  if (why !== undefined) throw new ProblemError("conflict", why);
  const giving = await keyGiving(ports, approver.id, proposal.by);
  if (giving !== "not given") throw new ProblemError("forbidden", KEY_REFUSALS[giving]);
  await approver.prove();
  const content = await contentOf(ports, proposal);
  if (content === undefined) throw new ProblemError("conflict", "The proposal was withdrawn meanwhile.");
  const { revision, rollbackOf, reason, restart } = proposal;
  const about = {
    ...{ revision, digest: proposal.digest, artifact: content.artifact },
    ...(rollbackOf !== undefined && { rollbackOf }),
    ...(reason !== undefined && { reason }),
  };
  const published = await takeNext(ports, revision, {
    by: approver.id,
    bytes: await signedBundle(ports, about, proposal.proposedBy),
    options: { mayRestart: restart, force: content.force },
    event: (publication) => approver.events.published(publication, proposal.by),
    pointer: "/digest",
    approval: { version: proposal.version, approvedBy: approver.name },
  });
  await drop(ports, proposal);
  return published;
}

/**
 * @param expected version of the one that is there; undefined: whichever it is
 * @throws ProblemError `not_found`, `stale`
 */
export async function withdrawProposal(
  ports: ProposalPorts,
  who: ServicePublisher,
  expected: number | undefined,
): Promise<void> {
  followedOf(ports);
  const { deployments } = ports.stores;
  const found = mustBeThere(await deployments.readDeployment(), ports);
  mustBe(found, expected);
  const withdrawn = await change(deployments, [who.events.proposalWithdrawn(recorded(found))], (record) => {
    // The record is about the one that was found.
    mustBe(mustBeThere(record, ports), found.version);
    const { proposal: _, ...rest } = record;
    return rest;
  });
  if (withdrawn?.former.proposal !== undefined) await drop(ports, withdrawn.former.proposal);
}

const KEY_REFUSALS: Readonly<Record<Exclude<KeyGiving, "not given">, string>> = {
  given:
    "You have given a key to the API client that proposed it, or to one that gave it a key: another owner has to approve it.",
  unknown:
    "The audit log does not say any more who has given all keys of the API client that proposed it, so that it may have been you: withdraw it, and have an owner or a new API client propose it.",
};

/** Undefined: there is none, or nobody has approved it in time. */
function proposalIn({ proposal }: DeploymentRecord, { clock }: ProposalPorts): ProposalRecord | undefined {
  return proposal !== undefined && clock.now() < proposal.expiresAt ? proposal : undefined;
}

function mustBeThere(record: DeploymentRecord, ports: ProposalPorts): ProposalRecord {
  const proposal = proposalIn(record, ports);
  if (proposal === undefined) throw new ProblemError("not_found", "Nothing is proposed.");
  return proposal;
}

function mustBe({ version }: ProposalRecord, expected: number | undefined): void {
  if (expected !== undefined && expected !== version)
    throw new ProblemError("stale", "Somebody has withdrawn it, and something else is proposed: look at it first.");
}

/** Why nobody can approve a proposal any more. */
async function voidness(ports: ProposalPorts, proposal: ProposalRecord): Promise<string | undefined> {
  const latest = latestRevision(await ports.stores.deployments.readDeployment());
  if (proposal.revision !== latest + 1) return takenBy(latest);
  if (await mayStillPublish(ports, proposal.by)) return undefined;
  return `${proposal.proposedBy}, who has proposed it, may not publish any more.`;
}

function takenBy(latest: number): string {
  return `Revision ${latest} was published meanwhile.`;
}

/** What lies in the pieces; undefined: they are gone. */
async function contentOf(
  { stores }: ProposalPorts,
  { name, bytes, digest }: ProposalRecord,
): Promise<{ readonly artifact: string; readonly force: readonly string[] } | undefined> {
  const joined = await joinedPieces(stores.deployments, name, bytes);
  if (joined === undefined) return undefined;
  const content = JSON.parse(new TextDecoder().decode(joined));
  if ((await digestOf(content.artifact)) !== digest) throw new Error("the proposal is damaged in the store");
  return content;
}

async function drop({ stores }: ProposalPorts, { name, bytes }: Pick<ProposalRecord, "name" | "bytes">): Promise<void> {
  await stores.deployments.dropPieces(name, pieceCount(bytes));
}

function shown({ name: _, bytes: __, ...proposal }: ProposalRecord): Proposal {
  return proposal;
}

function recorded({ revision, digest, proposedBy, reason, rollbackOf }: Omit<ProposalRecord, "version">): Recorded {
  return { revision, digest, publishedBy: proposedBy, reason, rollbackOf };
}
