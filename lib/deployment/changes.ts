import { type ConfigurationArtifact, writtenPlaceholders } from "../config/artifact.ts";
import { type Path, pathText } from "../config/path.ts";
import { documentSchema } from "../config/schema/document.ts";
import { isSecretAt } from "../config/schema/secrecy.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject } from "../kernel/json.ts";
import { comparedTexts, type SharedNumbers } from "../openapi/compared-texts.ts";

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

/**
 * What differs, in the order of the first document and then of the second, and of what was compiled of other documents: tools, and what
 * they share. Whatever differs is in it; nothing is told twice by one path.
 */
export function configurationChanges(
  from: ConfigurationArtifact,
  to: ConfigurationArtifact,
): readonly ConfigurationChange[] {
  const numbers: SharedNumbers = new Map();
  const same = sameCatalogs(from, to);
  const [former, latter] = [looked(from, same, numbers), looked(to, same, numbers)];
  const paths = new Set([...former.leaves.keys(), ...latter.leaves.keys()]);
  const changes = [...paths].flatMap((path): readonly ConfigurationChange[] => {
    const [one, other] = [former.leaves.get(path), latter.leaves.get(path)];
    if (one?.value === other?.value) return [];
    const to = one?.shown === HIDDEN && other?.shown === HIDDEN ? ANOTHER : other?.shown;
    return [{ path, ...(one !== undefined && { from: one.shown }), ...(to !== undefined && { to }) }];
  });
  return [...changes, ...orderChanges(former.orders, latter.orders)];
}

/** Apps whose catalogs need no look: reading the texts of a thousand tools takes long. */
function sameCatalogs(from: ConfigurationArtifact, to: ConfigurationArtifact): ReadonlySet<string> {
  const apps = Object.keys(from.catalogs).filter((app) => Object.hasOwn(to.catalogs, app));
  return new Set(apps.filter((app) => JSON.stringify(from.catalogs[app]) === JSON.stringify(to.catalogs[app])));
}

/** Of most lists the first entry that fits decides: told unless what is new stands behind all that stays in its order. */
function orderChanges(former: Look["orders"], latter: Look["orders"]): readonly ConfigurationChange[] {
  return [...former].flatMap(([path, before]) => {
    const after = latter.get(path) ?? [];
    const known = new Set(after);
    const stays = before.filter((name) => known.has(name));
    if (stays.every((name, index) => name === after[index])) return [];
    return [{ path: `order of ${path}`, from: JSON.stringify(before), to: JSON.stringify(after) }];
  });
}

interface Leaf {
  readonly value: string;
  readonly shown: string;
}

/** What is shown of a secret that stands in a document itself. */
export const HIDDEN_SECRET = "(a secret)";
const HIDDEN = JSON.stringify(HIDDEN_SECRET);
/** The same for one that has changed. */
const ANOTHER = JSON.stringify("(another secret)");
/** Of public keys of clients (RFC 7517 §4, RFC 7518 §6.2.1): no secrets, though they stand among credentials. */
const OF_PUBLIC_KEYS = new Set<string | number | undefined>(["kty", "crv", "x", "y", "kid", "use", "alg"]);

/** Stands for a claim or a fact of each request, such as `{{ corp.email }}`. */
const TEMPLATE_ALONE = /^\{\{[^{}]*\}\}$/;

/** Whether what stands at a place of the document is not shown. */
export function isHiddenAt(place: Path, value: unknown): boolean {
  if (typeof value === "string" && TEMPLATE_ALONE.test(value)) return false;
  const [, , section, list] = place;
  if (section === "credentials" && list === "jwks" && OF_PUBLIC_KEYS.has(place.at(-1))) return false;
  return isSecretAt(documentSchema, place);
}

interface Look {
  /** JSON of every scalar, and of what is empty, by its path. */
  readonly leaves: ReadonlyMap<string, Leaf>;
  /** What the entries of lists are called, by the path of the list. */
  readonly orders: ReadonlyMap<string, readonly string[]>;
}

function looked(artifact: ConfigurationArtifact, same: ReadonlySet<string>, numbers: SharedNumbers): Look {
  const written = writtenPlaceholders(artifact.placeholders);
  const leaves = new Map<string, Leaf>();
  const orders = new Map<string, readonly string[]>();
  const untaken = createNames();
  const add = (path: string, value: string, shown = value): void => void leaves.set(untaken(path), { value, shown });
  const walk = (value: unknown, path: string, place: Path): void => {
    if (Array.isArray(value) && value.length > 0) {
      const names = namesOf(value);
      if (value.some(hasName)) orders.set(path, names);
      for (const [index, entry] of value.entries()) walk(entry, `${path}[${names[index]}]`, [...place, index]);
      return;
    }
    // Before it is JSON, a document has keys without value.
    const entries = isJsonObject(value) ? Object.entries(value).filter(([, entry]) => entry !== undefined) : [];
    if (entries.length > 0) {
      for (const [key, entry] of entries) walk(entry, below(path, key), [...place, key]);
      return;
    }
    const reference = value === null ? written.get(pathText(place)) : undefined;
    if (reference !== undefined) add(path, reference);
    else add(path, JSON.stringify(value) ?? "null", isHiddenAt(place, value) ? HIDDEN : undefined);
  };
  walk(artifact.document, "", []);
  for (const [app, catalog] of Object.entries(artifact.catalogs)) {
    if (same.has(app)) continue;
    for (const [path, value] of comparedTexts(catalog, app, numbers)) add(path, value);
  }
  for (const [app, policies] of Object.entries(artifact.policies ?? {}))
    add(`policies in Rego[${app}]`, canonicalJson(policies));
  return { leaves, orders };
}

/** A key that could be read as a path is in quotes. */
function below(path: string, key: string): string {
  if (/^[^.[\]"#]+$/.test(key)) return path === "" ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}

/** By names, or else by places in the list; no two are the same. */
function namesOf(entries: readonly unknown[]): readonly string[] {
  const untaken = createNames();
  return entries.map((entry, index) => untaken(hasName(entry) ? listed(entry.name) : String(index)));
}

function hasName(entry: unknown): entry is { readonly name: string } {
  return isJsonObject(entry) && typeof entry.name === "string";
}

/** A name that could be read as a place, or as more than one step. */
function listed(name: string): string {
  return /^\d+$|[\]"#]/.test(name) ? JSON.stringify(name) : name;
}

/** Gives each name once: whoever comes later with it gets a number. */
function createNames(): (name: string) => string {
  const counts = new Map<string, number>();
  const give = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : give(`${name}#${count}`);
  };
  return give;
}
