import type { Catalog } from "../bridge/catalog.ts";
import { compileCatalog } from "../bridge/compile.ts";
import type { DocumentProblem } from "../bridge/openapi/document-error.ts";
import type { ConfigurationMessage } from "./messages.ts";
import { reasonsNotServed } from "./not-served.ts";
import { type Path, setValueAt, valueAt } from "./path.ts";
import type { Problem } from "./rules/rule.ts";
import { toolProblems } from "./rules/tools.ts";
import { DOCUMENT_URI } from "./schema/apps/mcp-bridge.ts";

/** Reads the OpenAPI document behind a `file://` or `https://` URI; rejects with a message for people. */
export type ReadDocument = (uri: string) => Promise<string>;

/** How many mistakes of one OpenAPI document are reported. */
const MAX_ERRORS = 20;

export interface CatalogSources {
  /** Name of the YAML file, as messages give it; OpenAPI documents are named relative to it. */
  readonly file: string;
  readonly readDocument: ReadDocument;
}

export interface CompiledCatalogs {
  /** Of the apps that are served, by app name. */
  readonly catalogs: Readonly<Record<string, Catalog>>;
  readonly problems: readonly Problem[];
  /** Mistakes in documents of their own, with places there. */
  readonly elsewhere: readonly ConfigurationMessage[];
}

type AppResult = { readonly catalog: Catalog } | Partial<Pick<CompiledCatalogs, "problems" | "elsewhere">>;

/**
 * Compiles the OpenAPI document of every `mcpBridge` app. In `document` it fills an absent `baseURL` from the document's
 * servers and takes inline texts out, because the artifact carries their catalogs. Documents of apps that are not served are
 * checked as well.
 */
export async function compileCatalogs(document: unknown, sources: CatalogSources): Promise<CompiledCatalogs> {
  const apps = valueAt(document, ["apps"]);
  const catalogs = new Map<string, Catalog>();
  const served = new Set<string>();
  const problems: Problem[] = [];
  const elsewhere: ConfigurationMessage[] = [];
  for (const [index, app] of (Array.isArray(apps) ? apps : []).entries()) {
    const name = valueAt(app, ["name"]);
    if (valueAt(app, ["type"]) !== "mcpBridge" || typeof name !== "string") continue;
    const result = await compileApp(app, ["apps", index], name, sources);
    if (reasonsNotServed(app).length === 0) served.add(name);
    if ("catalog" in result) catalogs.set(name, result.catalog);
    else {
      problems.push(...(result.problems ?? []));
      elsewhere.push(...(result.elsewhere ?? []));
    }
  }
  problems.push(...toolProblems(document, catalogs, served));
  const ofServed = [...catalogs].filter(([name]) => served.has(name));
  return { catalogs: Object.fromEntries(ofServed), problems, elsewhere };
}

async function compileApp(app: unknown, path: Path, name: string, sources: CatalogSources): Promise<AppResult> {
  const openapi = valueAt(app, ["openapi"]);
  if (openapi === undefined) return {};
  const source = await readSource(valueAt(openapi, ["spec"]), [...path, "openapi", "spec"], sources);
  if ("problems" in source) return source;

  const disabled = valueAt(app, ["toolNamespace", "disabled"]) === true;
  const prefix = valueAt(app, ["toolNamespace", "name"]);
  const namespace = typeof prefix === "string" ? { disabled, name: prefix } : { disabled };
  const compiled = await compileCatalog(source.text, { app: name, namespace });
  if ("errors" in compiled) return invalidDocument(compiled.errors, source);

  setValueAt(openapi, ["spec"], undefined);
  if (valueAt(openapi, ["baseURL"]) === undefined) {
    if (compiled.serverURL === undefined) {
      const message = "required: the OpenAPI document names no absolute server; accepted: an http or https URL";
      return { problems: [{ path: [...path, "openapi", "baseURL"], message }] };
    }
    setValueAt(openapi, ["baseURL"], compiled.serverURL);
  }
  return { catalog: compiled.catalog };
}

interface Source {
  readonly text: string;
  /** Where in the configuration the document is named or stands. */
  readonly path: Path;
  /** Undefined for a text inside of the configuration. */
  readonly file?: string;
}

async function readSource(
  spec: unknown,
  path: Path,
  { file, readDocument }: CatalogSources,
): Promise<Source | { readonly problems: readonly Problem[] }> {
  const [uri, data] = [valueAt(spec, ["uri"]), valueAt(spec, ["data"])];
  if ((uri === undefined) === (data === undefined)) {
    const count = uri === undefined ? "neither" : "both";
    return { problems: [{ path, message: `found ${count} of uri and data; accepted: exactly one` }] };
  }
  if (typeof data === "string") return { text: data, path: [...path, "data"] };
  const at = [...path, "uri"];
  // The schema refuses other values and the rules a placeholder, each with its own words.
  if (typeof uri !== "string" || !DOCUMENT_URI.test(uri)) return { problems: [] };
  try {
    return { text: await readDocument(uri), path: at, file: documentName(uri, file) };
  } catch (error) {
    return { problems: [{ path: at, message: error instanceof Error ? error.message : "cannot be read" }] };
  }
}

/** A local document as it can be opened from where the configuration's own name leads; a remote one without its query. */
function documentName(uri: string, file: string): string {
  if (!uri.startsWith("file://")) return URL.canParse(uri) ? new URL(uri).origin + new URL(uri).pathname : "(remote)";
  const path = decodeURIComponent(uri.slice("file://".length));
  return path.startsWith("/") ? path : file.slice(0, file.lastIndexOf("/") + 1) + path;
}

function invalidDocument(errors: readonly DocumentProblem[], { path, file }: Source): AppResult {
  const shown = errors.slice(0, MAX_ERRORS);
  const more = errors.length - shown.length;
  if (file === undefined) {
    const rest = more === 0 ? [] : [{ path, message: `the OpenAPI document has ${more} more mistakes` }];
    return { problems: [...shown.map((error) => ({ path, message: inlineMessage(error) })), ...rest] };
  }
  const located = shown.map(({ pointer, message, line = 1, column = 1 }) => ({
    ...{ file, line, column },
    path: pointer,
    message: pointer === "" ? `the OpenAPI document ${message}` : message,
  }));
  const last = { file, line: 1, column: 1, path: "", message: `the OpenAPI document has ${more} more mistakes` };
  return { elsewhere: more === 0 ? located : [...located, last] };
}

function inlineMessage({ pointer, message, line }: DocumentProblem): string {
  const where = line === undefined ? "" : ` at its line ${line}`;
  return `the OpenAPI document is invalid${where}: ${pointer === "" ? "(root)" : pointer}: ${message}`;
}
