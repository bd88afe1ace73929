import type { Catalog } from "./catalog.ts";
import { compileOperations } from "./compile-operations.ts";
import { type Curator, createCurator, NO_CURATION } from "./curation.ts";
import {
  createProblemList,
  DocumentError,
  type DocumentProblem,
  eachFileOnce,
  type ProblemList,
} from "./openapi/document-error.ts";
import type { DocumentSource } from "./openapi/load-documents.ts";
import { type DocumentTexts, locateProblems } from "./openapi/locate.ts";
import { SyntaxProblems } from "./openapi/parse-text.ts";
import { type ReadDocument, readDocument } from "./openapi/read-document.ts";
import { createSecurityReader, type Provided } from "./openapi/security.ts";
import type { DefinedScheme } from "./openapi/security-schemes.ts";
import { firstServer, serverURL } from "./openapi/servers.ts";

export interface CompileOptions {
  readonly app: string;
  /** `toolNamespace` of the app: put in front of each name unless disabled; by default the app's name and `_`. */
  readonly namespace: { readonly disabled: boolean; readonly name?: string };
  /** Which operations become tools, and as what; absent: all as they are. */
  readonly curator?: Curator;
  /** What the configuration puts into calls; absent: nothing. */
  readonly provided?: Provided;
  /** Where the document stands, and how others that it refers to are read; absent: none are. */
  readonly source?: DocumentSource;
  /** The API is where the configuration says: servers that operations name are not used. */
  readonly hasBaseURL?: boolean;
}

export type CompileResult =
  | {
      readonly catalog: Catalog;
      /** The document's first absolute server URL, variables at their defaults. */
      readonly serverURL?: string;
      /** The URL of its first server as written, where none is absolute. */
      readonly unusableServer?: string;
      /** Every security scheme of the document. */
      readonly schemes: ReadonlyMap<string, DefinedScheme>;
    }
  | { readonly errors: readonly DocumentProblem[] };

/**
 * Turns an OpenAPI document (3.0 to 3.2, Swagger 2.0; JSON or YAML text) into tools. Runs at build time or start, never for
 * a request. Every operation is a tool or is listed as left out, also where it is invalid; a document that is none, or of which every
 * operation is invalid, yields all that is wrong with it.
 */
export async function compileCatalog(openapiText: string, options: CompileOptions): Promise<CompileResult> {
  const problems = createProblemList();
  try {
    const read = await readDocument(openapiText, options.source, problems);
    const texts = { root: openapiText, others: read.others, isConverted: read.isConverted };
    return await compileDocument(read, options, problems, texts);
  } catch (cause) {
    if (cause instanceof SyntaxProblems) return { errors: cause.problems };
    if (cause instanceof DocumentError) {
      return { errors: locateProblems({ root: openapiText, others: [] }, [...problems.problems, cause.problem]) };
    }
    if (cause instanceof RangeError) return { errors: [{ pointer: "", message: "is nested too deeply" }] };
    throw cause;
  }
}

async function compileDocument(
  { document, problems: ofOthers }: ReadDocument,
  { curator = createCurator(NO_CURATION), provided = NOTHING_PROVIDED, ...options }: CompileOptions,
  problems: ProblemList,
  texts: DocumentTexts,
): Promise<CompileResult> {
  const { source, hasBaseURL = false } = options;
  const security = createSecurityReader(document, provided);
  const documentURL = source?.uri.startsWith("https://") ? source.uri : undefined;
  const base = serverURL(document, documentURL);
  const servers = hasBaseURL ? undefined : { documentURL, base };
  const notes = createProblemList();
  const context = { document, prefix: prefixOf(options), problems, notes, security };
  const { catalog, isUsable, invalid, noted } = await compileOperations(context, curator, servers);
  if (!isUsable || problems.problems.length > 0) {
    const all = [...problems.problems, ...invalid, ...noted, ...ofOthers];
    return { errors: locateProblems(texts, eachFileOnce(all)) };
  }
  const written = firstServer(document);
  const server = base !== undefined ? { serverURL: base } : written !== undefined && { unusableServer: written };
  return { catalog, ...server, schemes: security.defined };
}

function prefixOf({ app, namespace }: CompileOptions): string {
  return namespace.disabled ? "" : (namespace.name ?? `${app}_`);
}

const NOTHING_PROVIDED: Provided = { schemes: [], headers: [] };
