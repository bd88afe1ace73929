import type { JsonObject } from "../json.ts";
import type { Catalog, CatalogTool, LeftOutOperation, LeftOutReason, ToolDetails } from "./catalog.ts";
import { type Curator, createCurator, NO_CURATION } from "./curation.ts";
import { createProblemList, DocumentError, type DocumentProblem, type ProblemList } from "./openapi/document-error.ts";
import { invalidOperation, problemsOfInput, withoutBrokenOutput } from "./openapi/invalid-operation.ts";
import type { DocumentSource } from "./openapi/load-documents.ts";
import { type DocumentTexts, locateProblems } from "./openapi/locate.ts";
import { listOperations, type Operation } from "./openapi/operations.ts";
import { SyntaxProblems } from "./openapi/parse-text.ts";
import { type ReadDocument, readDocument } from "./openapi/read-document.ts";
import { unsupportedBody } from "./openapi/request-body.ts";
import { askedSchemes, createSecurityReader, type Provided, requirementsOf } from "./openapi/security.ts";
import type { DefinedScheme } from "./openapi/security-schemes.ts";
import { ownServerURL, serverURL } from "./openapi/servers.ts";
import { createSchemaExtractor } from "./openapi/standalone-schema.ts";
import { localNames, type OperationContext, toolFromOperation } from "./openapi/tool.ts";
import { shareParts } from "./share-parts.ts";

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
  const { catalog, isUsable, invalid } = await compileOperations(context, curator, servers);
  if (!isUsable || problems.problems.length > 0) {
    const all = [...problems.problems, ...invalid, ...notes.problems, ...ofOthers];
    return { errors: locateProblems(texts, all) };
  }
  return { catalog, ...(base !== undefined && { serverURL: base }), schemes: security.defined };
}

function prefixOf({ app, namespace }: CompileOptions): string {
  return namespace.disabled ? "" : (namespace.name ?? `${app}_`);
}

const NOTHING_PROVIDED: Provided = { schemes: [], headers: [] };

interface CompiledOperations {
  readonly catalog: Catalog;
  /** False: every operation is invalid. */
  readonly isUsable: boolean;
  /** What is wrong with operations that are left out. */
  readonly invalid: readonly DocumentProblem[];
}

async function compileOperations(
  context: Omit<OperationContext, "schemas">,
  curator: Curator,
  servers: Parameters<typeof ownServerURL>[1] | undefined,
): Promise<CompiledOperations> {
  const { document, prefix, problems, notes, security } = context;
  const tools = new Map<string, CatalogTool>();
  const leftOut: LeftOutOperation[] = [];
  const invalid: (readonly DocumentProblem[])[] = [];
  const operations = listOperations(document, problems, curator.keeps);
  const names = await localNames(operations);
  const schemas = {
    input: createSchemaExtractor(document, "request", problems),
    output: createSchemaExtractor(document, "response", notes),
  };
  for (const [index, listed] of operations.entries()) {
    const name = names[index] as string;
    const baseURL = servers && ownServerURL(listed.servers, servers);
    const operation = { ...listed, ...(baseURL !== undefined && { baseURL }) };
    const end = problems.apart();
    const result = await toolFromOperation(operation, name, { ...context, schemas });
    const found = [...operation.problems, ...end(), ...problemsOfInput(result, schemas.input)];
    if (found.length > 0) {
      invalid.push(found);
      leftOut.push(invalidOperation(document, operation, found));
      continue;
    }
    const reason = typeof result === "string" ? result : tools.has(result.name) ? "duplicate operation" : undefined;
    if (reason !== undefined) leftOut.push(leftOutOperation(document, operation, reason));
    else if (typeof result !== "string") tools.set(result.name, withoutBrokenOutput(result, schemas.output));
  }
  const details = [...tools.values()].map((tool) => JSON.parse(tool.details) as ToolDetails);
  const definitions = {
    input: schemas.input.definitionsOf(details.map(({ inputSchema }) => inputSchema)),
    output: schemas.output.definitionsOf(details.map(({ outputSchema }) => outputSchema)),
  };
  const curated = await curator.override([...tools.values()], prefix);
  const requirements = requirementsOf(curated, details);
  const { excluded } = curator.findings();
  const catalog = shareParts({
    tools: curated,
    definitions,
    securitySchemes: askedSchemes(requirements, security.defined),
    ...(requirements.length > 0 && { security: requirements }),
    ...(excluded > 0 && { excluded }),
    leftOut,
  });
  const isUsable = invalid.length === 0 || invalid.length < operations.length;
  return { catalog, isUsable, invalid: invalid.flat() };
}

function leftOutOperation(document: JsonObject, operation: Operation, reason: LeftOutReason): LeftOutOperation {
  const detail = reason === "unsupported request body" ? unsupportedBody(document, operation) : undefined;
  return {
    operation: `${operation.method} ${operation.path}`,
    reason,
    ...(detail !== undefined && { detail }),
  };
}
