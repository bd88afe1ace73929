import { INLINE } from "../bridge/openapi/document-uri.ts";
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
export interface Source {
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
    return { problems: [{ path: at, message: error instanceof Error ? error.message : "cannot be read" }] };
  }
}

/** A local document as it can be opened from where the configuration's own name leads; a remote one without its query. */
export function documentName(uri: string, file: string): string {
  if (!uri.startsWith("file://")) return URL.canParse(uri) ? new URL(uri).origin + new URL(uri).pathname : "(remote)";
  const path = decodeURIComponent(uri.slice("file://".length));
  return path.startsWith("/") ? path : file.slice(0, file.lastIndexOf("/") + 1) + path;
}
