import type { DocumentProblem } from "../openapi/documents/document-error.ts";
import { INLINE } from "../openapi/documents/document-uri.ts";
import type { ConfigurationMessage } from "./messages.ts";
import { type Path, valueAt } from "./path.ts";
import type { Problem } from "./rules/rule.ts";
import { DOCUMENT_URI } from "./schema/apps/mcp-bridge.ts";

/**
 * Reads the OpenAPI document, or a part of it, behind a `file://` or `https://` URI; rejects with a message for people. After
 * redirects the text comes with the URI that it was found at.
 */
export type ReadDocument = (uri: string) => Promise<string | { readonly text: string; readonly uri: string }>;

export interface CatalogSources {
  /** Name of the YAML file, as messages give it; OpenAPI documents are named relative to it. */
  readonly file: string;
  readonly readDocument: ReadDocument;
}

/** The text of an OpenAPI document. */
interface Source {
  readonly text: string;
  /** What its references are relative to. */
  readonly uri: string;
  /** Where in the configuration the document is named or stands. */
  readonly path: Path;
  /** Undefined for a text inside of the configuration. */
  readonly file?: string;
}

/** Reads the document that `openapi.spec` at a path names or holds. */
export async function readSource(
  spec: unknown,
  path: Path,
  { file, readDocument }: CatalogSources,
): Promise<Source | { readonly problems: readonly Problem[] }> {
  const [uri, data] = [valueAt(spec, ["uri"]), valueAt(spec, ["data"])];
  if ((uri === undefined) === (data === undefined)) {
    const count = uri === undefined ? "neither" : "both";
    return { problems: [{ path, message: `found ${count} of uri and data; accepted: exactly one` }] };
  }
  if (typeof data === "string") return { text: data, uri: INLINE, path: [...path, "data"] };
  const at = [...path, "uri"];
  // The schema refuses other values and the rules a placeholder, each with its own words.
  if (typeof uri !== "string" || !DOCUMENT_URI.test(uri)) return { problems: [] };
  try {
    const answer = await readDocument(uri);
    const found = typeof answer === "string" ? { text: answer, uri } : answer;
    return { ...found, path: at, file: documentName(uri, file) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "cannot be read";
    const name = uri.startsWith("file://") ? decodedName(uri, file) : undefined;
    return { problems: [{ path: at, message: name === undefined ? message : `${message} (${name})` }] };
  }
}

/** Undefined for a URI with a malformed escape. */
function decodedName(uri: string, file: string): string | undefined {
  try {
    return documentName(uri, file);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** A local document as it can be opened from where the configuration's own name leads; a remote one without its query. */
function documentName(uri: string, file: string): string {
  if (!uri.startsWith("file://")) return URL.canParse(uri) ? new URL(uri).origin + new URL(uri).pathname : "(remote)";
  const path = decodeURIComponent(uri.slice("file://".length));
  return path.startsWith("/") ? path : file.slice(0, file.lastIndexOf("/") + 1) + path;
}

/** How many mistakes of one OpenAPI document are reported. */
const MAX_ERRORS = 20;

/**
 * What is wrong with an OpenAPI document, in the file where it is wrong; a text inside of the configuration `name` is wrong
 * where it stands there.
 */
export function invalidDocument(
  errors: readonly DocumentProblem[],
  { path, file }: Source,
  name: string,
): { readonly problems: readonly Problem[]; readonly elsewhere: readonly ConfigurationMessage[] } {
  const shown = errors.slice(0, MAX_ERRORS);
  const more = `the OpenAPI document has ${errors.length - shown.length} more mistakes`;
  const hasMore = errors.length > shown.length;
  const fileOf = ({ document }: DocumentProblem) => (document === undefined ? file : documentName(document, name));
  const located = shown.flatMap((error) => {
    const { pointer, message, line = 1, column = 1 } = error;
    const at = fileOf(error);
    const text = pointer === "" ? `the OpenAPI document ${message}` : message;
    return at === undefined ? [] : [{ file: at, line, column, path: pointer, message: text }];
  });
  const inline = shown.filter((error) => fileOf(error) === undefined);
  const problems = inline.map((error) => ({ path, message: inlineMessage(error) }));
  if (file === undefined) {
    return { problems: hasMore ? [...problems, { path, message: more }] : problems, elsewhere: located };
  }
  const last = { file, line: 1, column: 1, path: "", message: more };
  return { problems, elsewhere: hasMore ? [...located, last] : located };
}

function inlineMessage({ pointer, message, line }: DocumentProblem): string {
  const where = line === undefined ? "" : ` at its line ${line}`;
  return `the OpenAPI document is invalid${where}: ${pointer === "" ? "(root)" : pointer}: ${message}`;
}
