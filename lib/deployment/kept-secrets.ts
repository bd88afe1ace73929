import type { ConfigurationArtifact } from "../config/artifact.ts";
import { type Path, pathText, setValueAt, valueAt } from "../config/path.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { HIDDEN_SECRET, isHiddenAt } from "./changes.ts";
import { shownDocument } from "./document.ts";

/** Where `(a secret)` stands in a document. */
export interface HiddenPlaces {
  /** A secret of what is in use stays as it is; `from` is its place there. */
  readonly kept: readonly { readonly to: Path; readonly from: Path }[];
  /** No secret is in use there: nobody knows what is meant. */
  readonly unknown: readonly Path[];
}

type Written = Pick<ConfigurationArtifact, "document" | "placeholders">;

/**
 * Which secrets a document keeps by the text that is shown in their place. Entries of lists go by their names. Of a list without
 * names, it is the same place, in a list as long as before; where it has several sections, also the same section else.
 *
 * @param former what is in use, as it is shown
 */
export function hiddenPlaces(written: Written, former: JsonObject): HiddenPlaces {
  const kept: { readonly to: Path; readonly from: Path }[] = [];
  const unknown: Path[] = [];
  const { document: shown } = shownDocument(written);
  const walk = (value: unknown, to: Path, from: Path | undefined): void => {
    if (Array.isArray(value)) {
      for (const [index, entry] of value.entries()) {
        const at = from && formerIndex(index, valueAt(shown, to), valueAt(former, from));
        walk(entry, [...to, index], from && at !== undefined ? [...from, at] : undefined);
      }
    } else if (isJsonObject(value)) {
      for (const [key, entry] of Object.entries(value)) walk(entry, [...to, key], from && [...from, key]);
    } else if (value === HIDDEN_SECRET) {
      const isKept = from !== undefined && valueAt(former, from) === HIDDEN_SECRET && isHiddenAt(to, value);
      if (isKept) kept.push({ to, from });
      else unknown.push(to);
    }
  };
  walk(written.document, [], []);
  return { kept, unknown };
}

/** Where an entry of a list was before; undefined: nobody can tell. */
function formerIndex(index: number, list: unknown, former: unknown): number | undefined {
  if (!Array.isArray(list) || !Array.isArray(former)) return undefined;
  const name = nameOf(list[index]);
  if (name !== undefined) {
    const places = [...former.keys()].filter((at) => nameOf(former[at]) === name);
    const isAlone = places.length === 1 && list.filter((one) => nameOf(one) === name).length === 1;
    return isAlone ? places[0] : undefined;
  }
  if (list.length !== former.length) return undefined;
  const isSame = list.length === 1 || !isJsonObject(list[index]) || isEqual(list[index], former[index]);
  return isSame ? index : undefined;
}

function nameOf(entry: unknown): string | undefined {
  return isJsonObject(entry) && typeof entry.name === "string" ? entry.name : undefined;
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** Why it cannot be published. */
export const NOT_KEPT = `${HIDDEN_SECRET} stands in the place of a secret, and none is in use here: write a reference such as <name>`;

/** The document with the secrets that it keeps; or the places where none is to be kept, by path text. */
export function withKeptSecrets<Artifact extends Written>(
  artifact: Artifact,
  former: Written,
): { readonly artifact: Artifact } | { readonly unknown: readonly string[] } {
  const { kept, unknown } = hiddenPlaces(artifact, shownDocument(former).document);
  if (unknown.length > 0) return { unknown: unknown.map(pathText) };
  const document = structuredClone(artifact.document);
  for (const { to, from } of kept) setValueAt(document, to, valueAt(former.document, from));
  return { artifact: { ...artifact, document } };
}
