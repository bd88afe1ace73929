import type { Configuration } from "../config/configuration.ts";
import { ConfigurationError, formatMessage } from "../config/messages.ts";
import { reasonOf } from "../logging/fetch-report.ts";
import { type DeploymentRecord, type Deployments, NO_DEPLOYMENT } from "../stores/deployments.ts";
import { artifactOf, BundleError, type OpenedBundle, openBundle } from "./bundle.ts";
import { objectionOfRecord, objectionTo } from "./objections.ts";
import type { DeploymentSettings } from "./settings.ts";
import { type BundleSource, DeploymentError, type FoundBundle, NothingPublishedError } from "./source.ts";

/** What an instance has started with. */
export interface StartingBundle {
  /** Absent: a configuration that was not published. */
  readonly bundle?: OpenedBundle;
  /** Why the source, what was kept or a higher revision could not be used. */
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
  /** What the store remembers, where the store is known already. */
  readonly record?: DeploymentRecord;
}

/** How long a start waits for the source when it could go on with what was kept, milliseconds. */
const SOURCE_PATIENCE = 2_000;

/**
 * Starts with the highest revision that can be used, of what the source has and what was kept: a publication that no running instance
 * took over keeps none from starting. It goes no further down than to what was in use.
 *
 * @param use resolves a bundle, or what was not published; rejects when it cannot be used
 * @throws {DeploymentError} when no bundle can be used, and nothing else may be
 */
export async function startPublished<Used extends { readonly configuration: Configuration }>(
  settings: DeploymentSettings,
  { source, kept }: StartingPlaces,
  terms: StartingTerms,
  use: (bundle: OpenedBundle | undefined) => Promise<Used>,
): Promise<StartingBundle & { readonly used: Used }> {
  const { record = NO_DEPLOYMENT } = terms;
  const problems: string[] = [];
  let behind = 0;

  /** What a place has, the highest revision first. */
  async function* bundlesAt(place: BundleSource, patience?: number): AsyncGenerator<OpenedBundle> {
    const isKept = place === kept;
    const open = async (read: () => Promise<FoundBundle | undefined>): Promise<OpenedBundle | undefined> => {
      try {
        const found = await read();
        return found && (await usable(found.bytes, settings, { ...terms, record, isKept }));
      } catch (error) {
        // That nothing is kept yet is no news.
        if (!isKept || !(error instanceof NothingPublishedError))
          problems.push(error instanceof BundleError ? `${place.name}: ${problemOf(error)}` : problemOf(error));
        return undefined;
      }
    };
    const latest = () => place.read(undefined, patience === undefined ? undefined : AbortSignal.timeout(patience));
    for (const read of (await place.all?.()) ?? [latest]) {
      const bundle = await open(read);
      if (bundle === undefined) continue;
      behind ||= bundle.publication.revision;
      if (bundle.publication.revision < record.highest) return;
      yield bundle;
    }
  }

  const ofKept = kept && bundlesAt(kept);
  const first = await ofKept?.next();
  const ofSource = bundlesAt(source, first === undefined || first.done ? undefined : SOURCE_PATIENCE);
  for await (const bundle of descending(first, ofKept, ofSource)) {
    const { revision, region } = bundle.publication;
    try {
      const used = await use(bundle);
      const own = used.configuration.oidcProvider?.region;
      if (own !== region)
        throw new BundleError(`is for the region ${region ?? "(none)"}, and its configuration has ${own ?? "none"}`);
      return { bundle, problems, used };
    } catch (error) {
      problems.push(`revision ${revision}: ${problemOf(error)}`);
    }
  }
  if (record.highest > 0) throw behindError(record.highest, behind, problems);
  if (!settings.fallback) throw new DeploymentError(`No published configuration can be used: ${problems.join("; ")}.`);
  return { problems, used: await use(undefined) };
}

/**
 * Both together, the highest revision first.
 * @param first what was read of what is kept, from where it goes on
 */
async function* descending(
  first: IteratorResult<OpenedBundle, void> | undefined,
  ofKept: AsyncGenerator<OpenedBundle, void> | undefined,
  ofSource: AsyncGenerator<OpenedBundle, void>,
): AsyncGenerator<OpenedBundle> {
  const revisionOf = (one: typeof first) => (one === undefined || one.done ? 0 : one.value.publication.revision);
  let [kept, found] = [first, await ofSource.next()];
  for (;;) {
    const isKeptNext = revisionOf(kept) >= revisionOf(found);
    const next = isKeptNext ? kept : found;
    if (next === undefined || next.done) return;
    yield next.value;
    if (isKeptNext) kept = await ofKept?.next();
    else found = await ofSource.next();
  }
}

interface UsableTerms extends Required<StartingTerms> {
  /** It was taken over before. */
  readonly isKept: boolean;
}

/** @throws {BundleError} when it is none that this instance may start with */
async function usable(
  bytes: Uint8Array<ArrayBuffer>,
  { keys, limit, ...settings }: DeploymentSettings,
  { record, isKept, now, version }: UsableTerms,
): Promise<OpenedBundle> {
  const publication = await openBundle(bytes, keys, limit);
  const { revision, region } = publication;
  // What was in use stays in use when it has expired.
  const wasInUse = isKept || revision <= record.highest;
  const terms = {
    ...{ version, deployment: settings.deployment, region: settings.region ?? region },
    now: wasInUse ? Number.NEGATIVE_INFINITY : now,
    // Where it stands among others is looked at apart.
    highest: revision - 1,
  };
  const objection =
    objectionTo(publication, terms) ?? (revision < record.highest ? undefined : objectionOfRecord(publication, record));
  if (objection !== undefined) throw new BundleError(objection);
  return { publication, artifact: artifactOf(publication), bytes };
}

function problemOf(error: unknown): string {
  if (error instanceof BundleError) return `the bundle ${error.message}`;
  if (error instanceof ConfigurationError) return error.messages.map(formatMessage).join("; ");
  return reasonOf(error);
}

/**
 * Checks what only the store tells: no instance goes back behind what was in use.
 *
 * @returns the highest revision that was in use
 * @throws {DeploymentError} when it would
 */
export async function mustFollow(
  { bundle, problems }: StartingBundle,
  deployments: Pick<Deployments, "readDeployment">,
): Promise<number> {
  const record = await deployments.readDeployment();
  const revision = bundle?.publication.revision ?? 0;
  if (revision < record.highest) throw behindError(record.highest, revision, problems);
  const objection = bundle && objectionOfRecord(bundle.publication, record);
  if (objection !== undefined) throw new DeploymentError(`The bundle of revision ${revision} ${objection}.`);
  return Math.max(record.highest, revision);
}

/** @param revision the highest that is published; 0: none is */
function behindError(highest: number, revision: number, problems: readonly string[]): DeploymentError {
  const found = revision === 0 ? "no published configuration can be used" : `the published one is revision ${revision}`;
  const because = problems.length === 0 ? "" : ` (${problems.join("; ")})`;
  return new DeploymentError(
    `Revision ${highest} of the configuration was in use, and ${found}${because}. Publish revision ${highest + 1}, or put revision ${highest} back.`,
  );
}
