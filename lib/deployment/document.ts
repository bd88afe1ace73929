import { type ConfigurationArtifact, writtenPlaceholders } from "../config/artifact.ts";
import { type Path, pathText } from "../config/path.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { ProblemError } from "../kernel/problem.ts";
import { type DeploymentPorts, followedOf } from "./administration.ts";
import { artifactOf, BundleError, openBundle } from "./bundle.ts";
import { HIDDEN_SECRET, isHiddenAt } from "./changes.ts";
import { bundleOf } from "./records.ts";

/** A configuration as its author wrote it, as far as the compiled one tells: without comments and without inline OpenAPI texts. */
export interface ShownDocument {
  /** Absent: it was not published. */
  readonly revision?: number;
  /** Secrets and variables by their references. */
  readonly document: JsonObject;
  /** Paths of secrets that stand in the document itself: each is shown as `(a secret)`. */
  readonly hidden: readonly string[];
  /** What was compiled of other documents, where it was asked for and is not larger than `TOOLS_BYTES`. */
  readonly tools?: Pick<ConfigurationArtifact, "catalogs" | "policies">;
}

/** Of compiled documents as JSON text: with the rest it fits into an answer of every runtime. */
export const TOOLS_BYTES = 4_000_000;

/**
 * The latest publication that is kept, or else what this instance has in use.
 *
 * @param isWhole with what was compiled of other documents
 * @throws ProblemError `not_found`
 */
export async function showDocument(ports: DeploymentPorts, isWhole = false): Promise<ShownDocument> {
  const artifact = await latestArtifact(ports);
  const tools = isWhole ? toolsOf(artifact) : undefined;
  return { ...shownDocument(artifact), ...(tools !== undefined && { tools }) };
}

/** A document with secrets and variables by their references. @throws ProblemError `not_found` where it is none */
export function shownDocument(
  artifact: Pick<ConfigurationArtifact, "document" | "placeholders"> &
    Partial<Pick<ConfigurationArtifact, "published">>,
): Omit<ShownDocument, "tools"> {
  const written = writtenPlaceholders(artifact.placeholders);
  const hidden: string[] = [];
  const shown = (value: unknown, place: Path): unknown => {
    const reference = value === null ? written.get(pathText(place)) : undefined;
    if (reference !== undefined) return reference;
    if (Array.isArray(value)) return value.map((entry, index) => shown(entry, [...place, index]));
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shown(entry, [...place, key])]));
    if (value === null || !isHiddenAt(place, value)) return value;
    hidden.push(pathText(place));
    return HIDDEN_SECRET;
  };
  const document = shown(artifact.document, []);
  if (!isJsonObject(document)) throw new ProblemError("not_found", "The configuration has no document.");
  const revision = artifact.published?.revision;
  return { ...(revision !== undefined && { revision }), document, hidden };
}

function toolsOf({ catalogs, policies }: ConfigurationArtifact): ShownDocument["tools"] {
  const tools = { catalogs, ...(policies !== undefined && { policies }) };
  return new TextEncoder().encode(JSON.stringify(tools)).length > TOOLS_BYTES ? undefined : tools;
}

/** What was published last, or, where nothing is kept that this instance can open, what it has in use. */
export async function latestArtifact(ports: DeploymentPorts): Promise<ConfigurationArtifact> {
  const followed = followedOf(ports);
  const { keys, limit } = followed.settings;
  const { deployments } = ports.stores;
  const latest = (await deployments.readDeployment()).published.findLast(({ bundle }) => bundle !== undefined);
  if (latest === undefined) return followed.artifact();
  try {
    return artifactOf(await openBundle(await bundleOf(deployments, latest), keys, limit));
  } catch (error) {
    if (error instanceof BundleError) return followed.artifact();
    throw error;
  }
}
