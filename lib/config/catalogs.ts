import type { Catalog } from "../bridge/catalog.ts";
import { compileCatalog } from "../bridge/compile.ts";
import { type Path, setValueAt, valueAt } from "./path.ts";
import type { Problem } from "./rules/rule.ts";
import { toolProblems } from "./rules/tools.ts";

/** Reads the OpenAPI document behind a `file://` or `https://` URI; rejects with a message for people. */
export type ReadDocument = (uri: string) => Promise<string>;

/** How much of the errors of one OpenAPI document is reported. */
const MAX_ERRORS = 20;

/**
 * Compiles the OpenAPI document of every `mcpBridge` app. In `document` it fills an absent `baseURL` from the document's
 * servers and takes inline texts out, because the artifact carries their catalogs.
 */
export async function compileCatalogs(
  document: unknown,
  readDocument: ReadDocument,
): Promise<{ readonly catalogs: Readonly<Record<string, Catalog>>; readonly problems: readonly Problem[] }> {
  const apps = valueAt(document, ["apps"]);
  const catalogs = new Map<string, Catalog>();
  const problems: Problem[] = [];
  for (const [index, app] of (Array.isArray(apps) ? apps : []).entries()) {
    const name = valueAt(app, ["name"]);
    if (valueAt(app, ["type"]) !== "mcpBridge" || typeof name !== "string") continue;
    const result = await compileApp(app, ["apps", index], name, readDocument);
    if (Array.isArray(result)) problems.push(...result);
    else catalogs.set(name, result);
  }
  problems.push(...toolProblems(document, catalogs));
  return { catalogs: Object.fromEntries(catalogs), problems };
}

async function compileApp(app: unknown, path: Path, name: string, readDocument: ReadDocument) {
  const openapi = valueAt(app, ["openapi"]);
  if (openapi === undefined) return [];
  const source = await readSource(valueAt(openapi, ["spec"]), [...path, "openapi", "spec"], readDocument);
  if ("problems" in source) return source.problems;

  const disabled = valueAt(app, ["toolNamespace", "disabled"]) === true;
  const prefix = valueAt(app, ["toolNamespace", "name"]);
  const namespace = typeof prefix === "string" ? { disabled, name: prefix } : { disabled };
  const compiled = await compileCatalog(source.text, { app: name, namespace });
  if ("errors" in compiled) {
    const errors = compiled.errors.slice(0, MAX_ERRORS);
    return errors.map(
      (error): Problem => ({ path: source.path, message: `the OpenAPI document is invalid: ${error}` }),
    );
  }

  setValueAt(openapi, ["spec"], undefined);
  if (valueAt(openapi, ["baseURL"]) === undefined) {
    if (compiled.serverURL === undefined) {
      const message = "required: the OpenAPI document names no absolute server; accepted: an http or https URL";
      return [{ path: [...path, "openapi", "baseURL"], message } satisfies Problem];
    }
    setValueAt(openapi, ["baseURL"], compiled.serverURL);
  }
  return compiled.catalog;
}

async function readSource(
  spec: unknown,
  path: Path,
  readDocument: ReadDocument,
): Promise<{ readonly text: string; readonly path: Path } | { readonly problems: Problem[] }> {
  const [uri, data] = [valueAt(spec, ["uri"]), valueAt(spec, ["data"])];
  if ((uri === undefined) === (data === undefined)) {
    const count = uri === undefined ? "neither" : "both";
    return { problems: [{ path, message: `found ${count} of uri and data; accepted: exactly one` }] };
  }
  if (typeof data === "string") return { text: data, path: [...path, "data"] };
  const at = [...path, "uri"];
  // The schema refuses other values and the rules a placeholder, each with its own words.
  if (typeof uri !== "string") return { problems: [] };
  try {
    return { text: await readDocument(uri), path: at };
  } catch (error) {
    return { problems: [{ path: at, message: error instanceof Error ? error.message : "cannot be read" }] };
  }
}
