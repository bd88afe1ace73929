import type { Catalog } from "../openapi/catalog.ts";
import { compileCatalog } from "../openapi/compile.ts";
import { type Curation, createCurator, type OperationPattern, type ToolOverride } from "../openapi/curation.ts";
import type { Provided } from "../openapi/documents/security.ts";
import { type CatalogSources, invalidDocument, readSource } from "./document-source.ts";
import type { ConfigurationMessage } from "./messages.ts";
import { type Path, setValueAt, valueAt } from "./path.ts";
import type { CompiledPolicy } from "./policy-plans.ts";
import { curationProblems, metaToolProblems, schemeProblems, toolProblems } from "./rules/catalogs.ts";
import type { Problem } from "./rules/rule.ts";
import { isToolPattern } from "./schema/apps/names.ts";
import { toolPattern } from "./tool-names.ts";

export interface CompiledCatalogs {
  /** By app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
  readonly problems: readonly Problem[];
  /** Mistakes in documents of their own, with places there. */
  readonly elsewhere: readonly ConfigurationMessage[];
}

/** What was compiled before, for what cannot be read where an app is compiled now. Apps and policies are plain data of the document. */
export interface CompiledBefore {
  /** With the base URL that its document gave. */
  catalog(app: unknown): { readonly catalog: Catalog; readonly baseURL: string | undefined } | undefined;
  policy(app: unknown, written: unknown): CompiledPolicy | undefined;
}

type AppResult = { readonly catalog?: Catalog } & Partial<Pick<CompiledCatalogs, "problems" | "elsewhere">>;

/**
 * Compiles the OpenAPI document of every `mcpBridge` app. In `document` it fills an absent `baseURL` from the document's
 * servers and takes inline texts out, because the artifact carries their catalogs.
 */
export async function compileCatalogs(
  document: unknown,
  sources: CatalogSources,
  before?: CompiledBefore,
): Promise<CompiledCatalogs> {
  const apps = valueAt(document, ["apps"]);
  const catalogs = new Map<string, Catalog>();
  const problems: Problem[] = [];
  const elsewhere: ConfigurationMessage[] = [];
  for (const [index, app] of (Array.isArray(apps) ? apps : []).entries()) {
    const name = valueAt(app, ["name"]);
    if (valueAt(app, ["type"]) !== "mcpBridge" || typeof name !== "string") continue;
    const result = await compileApp(app, ["apps", index], name, sources, before);
    if (result.catalog !== undefined) catalogs.set(name, result.catalog);
    problems.push(...(result.problems ?? []));
    elsewhere.push(...(result.elsewhere ?? []));
  }
  problems.push(...toolProblems(document, catalogs), ...metaToolProblems(document, catalogs));
  return { catalogs: Object.fromEntries(catalogs), problems, elsewhere };
}

async function compileApp(
  app: unknown,
  path: Path,
  name: string,
  sources: CatalogSources,
  before: CompiledBefore | undefined,
): Promise<AppResult> {
  const openapi = valueAt(app, ["openapi"]);
  if (openapi === undefined) return {};
  const source = await readSource(valueAt(openapi, ["spec"]), [...path, "openapi", "spec"], sources);
  if ("problems" in source) {
    const kept = before?.catalog(app);
    if (kept === undefined) return source;
    setValueAt(openapi, ["spec"], keptSpec(valueAt(openapi, ["spec"])));
    if (valueAt(openapi, ["baseURL"]) === undefined) setValueAt(openapi, ["baseURL"], kept.baseURL);
    return { catalog: kept.catalog };
  }

  const disabled = valueAt(app, ["toolNamespace", "disabled"]) === true;
  const prefix = valueAt(app, ["toolNamespace", "name"]);
  const namespace = typeof prefix === "string" ? { disabled, name: prefix } : { disabled };
  const curation = curationOf(app);
  const curator = createCurator(curation);
  const compiled = await compileCatalog(source.text, {
    ...{ app: name, namespace, curator, provided: providedBy(app) },
    source: { uri: source.uri, read: sources.readDocument },
    hasBaseURL: valueAt(openapi, ["baseURL"]) !== undefined,
  });
  const findings = curator.findings();
  if ("errors" in compiled) {
    const { problems, elsewhere } = invalidDocument(compiled.errors, source, sources.file);
    // A mistyped pattern may be why; which tools there are is not known.
    const { unmatched, candidates } = findings;
    const mistyped = { ...findings, unknown: [], clashing: [], unmatched: candidates.length > 0 ? unmatched : [] };
    return { problems: [...curationProblems(mistyped, curation.places, path), ...problems], elsewhere };
  }

  const curated = curationProblems(findings, curation.places, path);
  setValueAt(openapi, ["spec"], keptSpec(valueAt(openapi, ["spec"])));
  if (valueAt(openapi, ["baseURL"]) === undefined) {
    if (compiled.serverURL === undefined) {
      const message = noServer(compiled.unusableServer);
      return { problems: [{ path: [...path, "openapi", "baseURL"], message }] };
    }
    setValueAt(openapi, ["baseURL"], compiled.serverURL);
  }
  return { catalog: compiled.catalog, problems: [...curated, ...schemeProblems(app, path, compiled.schemes)] };
}

/** Where the document was, for whoever writes the next configuration; not the text, and nothing that opens a door there. */
function keptSpec(spec: unknown): { readonly uri: string } | undefined {
  const uri = valueAt(spec, ["uri"]);
  if (typeof uri !== "string" || !URL.canParse(uri)) return undefined;
  const { username, password, search, hash } = new URL(uri);
  return username + password + search + hash === "" ? { uri } : undefined;
}

/** @param found the URL of the document's first server */
function noServer(found: string | undefined): string {
  const accepted = "accepted: an http or https URL";
  if (found === undefined) return `required: the OpenAPI document names no server; ${accepted}`;
  const example = /^\/[^/{}]/.test(found) ? `, here one that ends in ${found}` : "";
  return `required: the server of the OpenAPI document, ${JSON.stringify(found)}, is no absolute URL; ${accepted}${example}`;
}

interface AppCuration extends Curation {
  /** Where each pattern stands, below the app. */
  readonly places: ReadonlyMap<OperationPattern, Path>;
}

/** The curation of an app of the plain document. What the schema refuses is left out, placeholders too: rules tell of them. */
function curationOf(app: unknown): AppCuration {
  const places = new Map<OperationPattern, Path>();
  const patterns = (key: "include" | "exclude") => {
    const list = valueAt(app, ["openapi", key]);
    return (Array.isArray(list) ? list : []).flatMap((text: unknown, index): OperationPattern[] => {
      if (typeof text !== "string" || !isToolPattern(text)) return [];
      const pattern = { text, matches: toolPattern(text) };
      places.set(pattern, ["openapi", key, index]);
      return [pattern];
    });
  };
  const overrides = entriesOf(valueAt(app, ["openapi", "overrides"]));
  return {
    include: patterns("include"),
    exclude: patterns("exclude"),
    overrides: new Map(overrides.map(([tool, override]) => [tool, overrideOf(override)])),
    places,
  };
}

/** What the calls of an app get from its configuration. */
function providedBy(app: unknown): Provided {
  const names = (key: string) => entriesOf(valueAt(app, ["upstream", key])).map(([name]) => name);
  return { schemes: names("auth"), headers: names("headers") };
}

function overrideOf(override: unknown): ToolOverride {
  const [name, title, description] = ["name", "title", "description"].map((key) => textOf(valueAt(override, [key])));
  const annotations = entriesOf(valueAt(override, ["annotations"]));
  return {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
