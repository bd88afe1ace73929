import { type ConfigurationArtifact, writtenPlaceholders } from "../config/artifact.ts";
import { type Path, pathText } from "../config/path.ts";
import { documentSchema } from "../config/schema/document.ts";
import { isSecretAt } from "../config/schema/secrecy.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject } from "../kernel/json.ts";

/**
 * One key that differs between two configurations. Texts as the document has them: secrets by their references. A secret that stands
 * in the document itself is not shown.
 */
export interface ConfigurationChange {
  /** `apps[ledger].limits[0].quota`: entries of lists that have names go by them. */
  readonly path: string;
  /** JSON; absent: it was not there. */
  readonly from?: string;
  /** JSON; absent: it is not there any more. */
  readonly to?: string;
}

/** What differs, in the order of the first document and then of the second. Of compiled documents, tools are compared. */
export function configurationChanges(
  from: ConfigurationArtifact,
  to: ConfigurationArtifact,
): readonly ConfigurationChange[] {
  const [former, latter] = [leavesOf(from), leavesOf(to)];
  const paths = new Set([...former.keys(), ...latter.keys()]);
  return [...paths].flatMap((path) => {
    const [one, other] = [former.get(path), latter.get(path)];
    if (one?.value === other?.value) return [];
    return [{ path, ...(one !== undefined && { from: one.shown }), ...(other !== undefined && { to: other.shown }) }];
  });
}

interface Leaf {
  readonly value: string;
  readonly shown: string;
}

/** What is shown of a secret that stands in a document itself. */
export const HIDDEN_SECRET = "(a secret)";
const HIDDEN = JSON.stringify(HIDDEN_SECRET);

/** JSON of every scalar, and of what is empty, by its path. */
function leavesOf(artifact: ConfigurationArtifact): ReadonlyMap<string, Leaf> {
  const written = writtenPlaceholders(artifact.placeholders);
  const leaves = new Map<string, Leaf>();
  const add = (path: string, value: string, shown = value): void => void leaves.set(path, { value, shown });
  const walk = (value: unknown, path: string, place: Path): void => {
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, entry] of value.entries())
        walk(entry, `${path}[${nameOf(entry) ?? index}]`, [...place, index]);
      return;
    }
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      for (const [key, entry] of Object.entries(value))
        walk(entry, path === "" ? key : `${path}.${key}`, [...place, key]);
      return;
    }
    const reference = written.get(pathText(place));
    if (reference !== undefined) add(path, reference);
    else add(path, JSON.stringify(value) ?? "null", isSecretAt(documentSchema, place) ? HIDDEN : undefined);
  };
  walk(artifact.document, "", []);
  for (const [app, catalog] of Object.entries(artifact.catalogs)) {
    for (const tool of catalog.tools) add(`tools[${app}/${tool.name}]`, canonicalJson(tool));
  }
  for (const [app, policies] of Object.entries(artifact.policies ?? {}))
    add(`policies in Rego[${app}]`, canonicalJson(policies));
  return leaves;
}

function nameOf(entry: unknown): string | undefined {
  return isJsonObject(entry) && typeof entry.name === "string" ? entry.name : undefined;
}
