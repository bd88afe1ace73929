import { reasonOf } from "../logging/fetch-report.ts";
import type { Deployments } from "../stores/deployments.ts";
import { artifactOf, BundleError, type OpenedBundle, openBundle } from "./bundle.ts";
import { objectionTo } from "./objections.ts";
import { DeploymentError, type DeploymentSettings } from "./settings.ts";
import { type BundleSource, NothingPublishedError } from "./source.ts";

/** What an instance starts with. */
export interface StartingBundle {
  /** Absent: with a configuration that was not published. */
  readonly bundle?: OpenedBundle;
  /** Why the source or the kept bundle could not be used. */
  readonly problems: readonly string[];
}

export interface StartingPlaces {
  readonly source: BundleSource;
  /** The last good bundle; absent: the source keeps it itself. */
  readonly kept?: BundleSource | undefined;
}

export interface StartingTerms {
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The highest revision that was in use, where that is known already; 0 unless given. */
  readonly inUse?: number;
}

/**
 * The bundle that an instance starts with: the highest revision of what the source has and what was kept of it.
 *
 * @throws {DeploymentError} when neither has one, and nothing else may be served
 */
export async function startingBundle(
  settings: DeploymentSettings,
  { source, kept }: StartingPlaces,
  { version, now, inUse = 0 }: StartingTerms,
): Promise<StartingBundle> {
  const problems: string[] = [];
  const found: OpenedBundle[] = [];
  const look = async (place: BundleSource): Promise<void> => {
    try {
      const read = await place.read(undefined, undefined);
      // What was in use stays in use when it has expired.
      const terms = { version, now, inUse: place === kept ? Number.POSITIVE_INFINITY : inUse };
      if (read !== undefined) found.push(await usable(read.bytes, settings, terms));
    } catch (error) {
      // That nothing is kept yet is no news.
      if (place === kept && error instanceof NothingPublishedError) return;
      problems.push(error instanceof BundleError ? `${place.name}: the bundle ${error.message}` : reasonOf(error));
    }
  };
  await Promise.all([look(source), ...(kept === undefined ? [] : [look(kept)])]);
  const [bundle] = found.sort((one, other) => other.publication.revision - one.publication.revision);
  if (bundle === undefined && !settings.fallback)
    throw new DeploymentError(`No published configuration can be used: ${problems.join("; ")}.`);
  return { problems, ...(bundle !== undefined && { bundle }) };
}

async function usable(
  bytes: Uint8Array<ArrayBuffer>,
  { keys, deployment }: DeploymentSettings,
  { inUse, now, version }: Required<StartingTerms>,
): Promise<OpenedBundle> {
  const publication = await openBundle(bytes, keys);
  const terms = { version, now: publication.revision <= inUse ? Number.NEGATIVE_INFINITY : now };
  // The region is known when the configuration is resolved.
  const { region } = publication;
  const objection = objectionTo(publication, { ...terms, deployment, region, highest: 0 });
  if (objection !== undefined) throw new BundleError(objection);
  return { publication, artifact: artifactOf(publication), bytes };
}

/**
 * Checks what only the store and the whole configuration tell: no instance goes back behind what was in use.
 *
 * @param region of the configuration that the instance starts with
 * @returns the highest revision that was in use
 * @throws {DeploymentError} when it would
 */
export async function mustFollow(
  { bundle, problems }: StartingBundle,
  deployments: Pick<Deployments, "readDeployment">,
  region: string | undefined,
): Promise<number> {
  const { highest } = await deployments.readDeployment();
  const revision = bundle?.publication.revision ?? 0;
  if (revision < highest) {
    const found =
      revision === 0 ? "no published configuration can be used" : `the published one is revision ${revision}`;
    const because = problems.length === 0 ? "" : ` (${problems.join("; ")})`;
    throw new DeploymentError(
      `Revision ${highest} of the configuration was in use, and ${found}${because}. Publish revision ${highest + 1}, or put revision ${highest} back.`,
    );
  }
  if (bundle !== undefined && bundle.publication.region !== region) {
    throw new DeploymentError(
      `The bundle of revision ${revision} is for the region ${bundle.publication.region ?? "(none)"}, and its configuration has ${region ?? "none"}.`,
    );
  }
  return Math.max(highest, revision);
}
