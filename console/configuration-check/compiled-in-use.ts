import { stringify } from "yaml";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { CompiledBefore } from "../../lib/config/catalogs.ts";
import { placesOf, valueAt } from "../../lib/config/path.ts";
import { compiledOf, OPA_PLACES } from "../../lib/config/policy-plans.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { HIDDEN_SECRET } from "../../lib/deployment/changes.ts";
import { canonicalJson } from "../../lib/kernel/canonical-json.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";
import type { Catalog } from "../../lib/openapi/catalog.ts";

/** What is in use in the place of what the browser lacks, and what was asked of it. */
export interface CompiledInUse extends CompiledBefore {
  /** Whether something was lacking. */
  isAsked(): boolean;
  /** Documents whose place it took. */
  uris(): ReadonlySet<string>;
}

/**
 * An owner seldom has the OpenAPI documents and policies at hand that somebody else's pipeline has published. Where the text says of
 * an app's tools, or of a policy, what is said in the configuration that is in use, what was compiled for that stays as it is.
 */
export function compiledInUse(inUse: ConfigurationArtifact | undefined): CompiledInUse {
  let isAsked = false;
  const uris = new Set<string>();
  const apps = valueAt(inUse?.document, ["apps"]);
  const former = (app: unknown): unknown =>
    (Array.isArray(apps) ? apps : []).find((one) => isSame(one, app, [["name"], ["type"]]));
  const nameOf = (app: unknown): string => String(valueAt(app, ["name"]));
  return {
    isAsked: () => isAsked,
    uris: () => uris,
    catalog: (app) => {
      isAsked = true;
      const before = former(app);
      const catalog = valueAt(inUse?.catalogs, [nameOf(app)]) as Catalog | undefined;
      if (before === undefined || catalog === undefined || !isCompiledAlike(before, app, catalog)) return undefined;
      const uri = valueAt(app, ["openapi", "spec", "uri"]);
      if (typeof uri === "string") uris.add(uri);
      const baseURL = valueAt(before, ["openapi", "baseURL"]);
      return { catalog, baseURL: typeof baseURL === "string" ? baseURL : undefined };
    },
    policy: (app, written) => {
      isAsked = true;
      const before = former(app);
      if (inUse === undefined || before === undefined) return undefined;
      const compiled = compiledOf(nameOf(app), inUse.policies ?? {});
      const places = OPA_PLACES.flatMap(({ pattern, name }) =>
        placesOf(before, pattern).map((path) => ({ path, name: name(path) })),
      );
      const found = places.find(
        ({ path, name }) => Object.hasOwn(compiled, name) && isEqual(valueAt(before, path), written),
      );
      if (found === undefined) return undefined;
      for (const key of ["plan", "data"]) {
        const path = valueAt(written, [key]);
        if (typeof path === "string") uris.add(path.startsWith("file://") ? path : `file://${path}`);
      }
      return compiled[found.name];
    },
  };
}

/** What a catalog is made of beside the document; of what calls carry, the names of it and of its parts, not the values. */
const OF_CATALOG = [
  ["openapi", "include"],
  ["openapi", "exclude"],
  ["openapi", "overrides"],
  ["toolNamespace"],
] as const;
const BY_NAME = [
  ["upstream", "auth"],
  ["upstream", "headers"],
] as const;

/** Whether an app of the text would get the catalog that it has in use, as far as the texts tell. */
function isCompiledAlike(before: unknown, app: unknown, { tools }: Catalog): boolean {
  const [formerURL, url] = [before, app].map((one) => valueAt(one, ["openapi", "baseURL"]));
  // Without a base URL of the app, operations may have servers of their own.
  const hasServers = tools.some(({ details }) => details.includes('"baseURL":'));
  return (
    isSameDocument(valueAt(before, ["openapi", "spec"]), valueAt(app, ["openapi", "spec"])) &&
    isSame(before, app, OF_CATALOG) &&
    BY_NAME.every((path) => isEqual(namesIn(valueAt(before, path)), namesIn(valueAt(app, path)))) &&
    (url === undefined ? typeof formerURL === "string" : isEqual(url, formerURL) || !hasServers)
  );
}

/** A text inside of the configuration is never shown: whoever leaves it out means the one that is in use. */
function isSameDocument(before: unknown, spec: unknown): boolean {
  if (spec === undefined) return true;
  return valueAt(spec, ["data"]) === undefined && isEqual(before, spec);
}

function isSame(before: unknown, app: unknown, places: readonly (readonly string[])[]): boolean {
  return places.every((path) => isEqual(valueAt(before, path), valueAt(app, path)));
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other));
}

/** The keys of a mapping, and of mappings in it. */
function namesIn(value: unknown): object {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, namesIn(one)])) : {};
}

/** In the place of what is in use, in messages. */
const IN_USE = "in use";

/** A reference in the place of a secret that is not shown: it gets a stand-in as all others do. */
const SOME_SECRET = "<hidden.secret>";

/** The artifact of what is in use, from what the API shows of it with its tools; undefined: these are missing. */
export function artifactInUse(shown: ConfigurationDocument): ConfigurationArtifact | undefined {
  const { catalogs, policies } = shown as Pick<ConfigurationArtifact, "policies"> &
    Partial<Pick<ConfigurationArtifact, "catalogs">>;
  if (catalogs === undefined) return undefined;
  const text = stringify(withReferences(shown.document), { lineWidth: 0 });
  const { document, placeholders, positions } = readYaml(text, IN_USE);
  const read = { document, placeholders, positions, catalogs, ...(policies !== undefined && { policies }) };
  return { format: 1, source: IN_USE, ...read };
}

function withReferences(value: unknown): unknown {
  if (value === HIDDEN_SECRET) return SOME_SECRET;
  if (Array.isArray(value)) return value.map(withReferences);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withReferences(entry)]));
}
