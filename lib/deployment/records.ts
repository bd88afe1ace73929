import { base64url } from "../kernel/encoding.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import {
  DEPLOYMENT_BYTES,
  type DeploymentRecord,
  type Deployments,
  type PublishedRevision,
} from "../stores/deployments.ts";
import { BundleError, type Publication } from "./bundle.ts";
import { objectionOfRecord } from "./objections.ts";
import { joinedPieces, pieceCount, piecesOf } from "./pieces.ts";
import { type BundleSource, type FoundBundle, NothingPublishedError } from "./source.ts";

/** Bundles that are kept for rolling back and for instances that start; of older publications the record alone is. */
const KEPT_BUNDLES = 50;
/** Others may change the document meanwhile; each time one of them has succeeded. */
const ATTEMPTS = 50;

/** A publication of the same or of a higher revision is there already. */
export class RevisionTakenError extends Error {
  readonly latest: number;
  constructor(latest: number) {
    super(`Revision ${latest} is there already; the next one is ${latest + 1}.`);
    this.name = "RevisionTakenError";
    this.latest = latest;
  }
}

/** The latest revision that was published here or taken over: the next publication has a higher one. */
export function latestRevision({ highest, published }: DeploymentRecord): number {
  return Math.max(highest, published.at(-1)?.revision ?? 0);
}

/** Who keeps a publication, and how. */
interface Keeping {
  readonly by: string;
  readonly events: readonly AuditEvent[];
  /** The proposal that is published, which goes; absent: nobody had to approve it. */
  readonly approval?: Approval | undefined;
}

export interface Approval {
  /** Of the proposal. */
  readonly version: number;
  /** The address of the person who approves it. */
  readonly approvedBy: string;
}

/**
 * Keeps a publication with its bundle. The bundle is there before the record names it.
 *
 * @param bytes of the bundle, whose publication has been checked
 * @throws {RevisionTakenError} it is not higher than all that are there
 * @throws {BundleError} no instance of this store would ever take it over
 * @throws ProblemError `conflict`: the proposal is there no more
 */
export async function keepPublication(
  deployments: Deployments,
  { publication, bytes }: { readonly publication: Publication; readonly bytes: Uint8Array<ArrayBuffer> },
  { by, events, approval }: Keeping,
): Promise<void> {
  const former = await deployments.readDeployment();
  const latest = latestRevision(former);
  if (publication.revision <= latest) throw new RevisionTakenError(latest);
  mustFit(publication, former);
  const bundle = await bundleName(bytes);
  await Promise.all(piecesOf(bundle, bytes).map(deployments.keepPiece));
  const published = {
    ...{ ...revisionOf(publication), bundle, bytes: bytes.length, by },
    ...(approval !== undefined && { approvedBy: approval.approvedBy }),
  };
  let dropped: readonly PublishedRevision[] = [];
  await change(deployments, events, (record) => {
    if (publication.revision <= latestRevision(record)) throw new RevisionTakenError(latestRevision(record));
    if (approval !== undefined && record.proposal?.version !== approval.version)
      throw new ProblemError("conflict", "The proposal was withdrawn meanwhile.");
    const all = shortened([...record.published, published]);
    dropped = all.slice(0, -KEPT_BUNDLES).filter((one) => one.bundle !== undefined);
    const { proposal, ...rest } = record;
    return {
      ...rest,
      ...(approval === undefined && proposal !== undefined && { proposal }),
      published: all.map((one, index) => (index < all.length - KEPT_BUNDLES ? withoutBundle(one) : one)),
    };
  });
  for (const { bundle: name = "", bytes: length } of dropped) await deployments.dropPieces(name, pieceCount(length));
}

/**
 * Notes that a revision is in use: no lower one will be, at any instance.
 *
 * @param event becomes durable with the note, for the first instance that uses the revision
 * @throws {BundleError} another instance uses a higher one, or this one with other contents; or the store is of another deployment
 */
export async function raiseHighest(
  deployments: Deployments,
  publication: Publication,
  event: AuditEvent,
): Promise<void> {
  const { revision, digest, deployment, region } = publication;
  await change(deployments, [event], (record) => {
    mustFit(publication, record);
    if (record.highest === revision) return undefined;
    return {
      ...record,
      highest: revision,
      inUse: { digest, deployment, ...(region !== undefined && { region }) },
    };
  });
}

/** @throws {BundleError} no instance of the store may take it over */
export function mustFit(publication: Publication, record: DeploymentRecord): void {
  const objection = objectionOfRecord(publication, record);
  if (objection !== undefined) throw new BundleError(objection);
}

/** What was published into this deployment's own store: `store:`. */
export function storeSource(deployments: Pick<Deployments, "readDeployment" | "piece">): BundleSource {
  const read = async (known: string | undefined): Promise<FoundBundle | undefined> => {
    const latest = (await deployments.readDeployment()).published.at(-1);
    if (latest === undefined) throw new NothingPublishedError("nothing was published into the store");
    const tag = `${latest.revision} ${latest.bundle}`;
    return tag === known ? undefined : { bytes: await bundleOf(deployments, latest), tag };
  };
  return {
    name: "store:",
    read,
    all: async () => {
      const earlier = (await deployments.readDeployment()).published.slice(0, -1).toReversed();
      const kept = earlier.filter(({ bundle }) => bundle !== undefined);
      return [() => read(undefined), ...kept.map((one) => async () => ({ bytes: await bundleOf(deployments, one) }))];
    },
  };
}

/**
 * The bytes of a publication's bundle.
 * @throws Error when they are not kept any more, or not whole
 */
export async function bundleOf(
  deployments: Pick<Deployments, "piece">,
  { revision, bundle, bytes }: PublishedRevision,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bundle === undefined) throw new Error(`the bundle of revision ${revision} is not kept any more`);
  const whole = await joinedPieces(deployments, bundle, bytes);
  if (whole === undefined) throw new Error(`the bundle of revision ${revision} is not whole in the store`);
  if ((await bundleName(whole)) !== bundle)
    throw new Error(`the bundle of revision ${revision} is damaged in the store`);
  return whole;
}

/**
 * Changes the record as it is now, with events that become durable together with the change.
 *
 * @param next undefined: nothing is to be changed; called again when another one was faster
 * @returns the record before the change and after it; undefined: nothing was changed
 */
export async function change(
  deployments: Pick<Deployments, "readDeployment" | "replaceDeployment">,
  events: readonly AuditEvent[],
  next: (record: DeploymentRecord) => DeploymentRecord | undefined,
): Promise<{ readonly former: DeploymentRecord; readonly record: DeploymentRecord } | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const former = await deployments.readDeployment();
    const changed = next(former);
    if (changed === undefined) return undefined;
    const record = { ...changed, version: former.version + 1 };
    if (await deployments.replaceDeployment(record, events)) return { former, record };
  }
  throw new Error("the record of the deployment was changed by others again and again");
}

async function bundleName(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function revisionOf(publication: Publication): Omit<PublishedRevision, "bytes" | "by"> {
  const { revision, digest, publishedAt, publishedBy, reason, rollbackOf, expiresAt } = publication;
  return {
    ...{ revision, digest, publishedBy, publishedAt: Date.parse(publishedAt) },
    ...(reason !== undefined && { reason }),
    ...(rollbackOf !== undefined && { rollbackOf }),
    ...(expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }),
  };
}

/** The oldest go where the record would become too long. */
function shortened(published: readonly PublishedRevision[]): readonly PublishedRevision[] {
  let all = published;
  // A character takes three bytes at most as UTF-8.
  while (all.length > 1 && JSON.stringify(all).length * 3 > DEPLOYMENT_BYTES) all = all.slice(1);
  return all;
}

function withoutBundle({ bundle: _, ...rest }: PublishedRevision): PublishedRevision {
  return rest;
}
