import type { JsonObject } from "../kernel/json.ts";
import type { Catalog, LeftOutOperation, LeftOutReason } from "./catalog.ts";
import { type UnwrittenTool, writeCatalog } from "./catalog-texts.ts";
import { type Curator, createCurator, NO_CURATION } from "./curation.ts";
import {
  createProblemList,
  DocumentError,
  type DocumentProblem,
  eachFileOnce,
  type ProblemList,
} from "./documents/document-error.ts";
import { createEqualValues } from "./documents/equal-values.ts";
import type { DocumentSource } from "./documents/load-documents.ts";
import { type DocumentTexts, locateProblems } from "./documents/locate.ts";
import {
  createFlawList,
  invalidOperation,
  problemsOfInput,
  problemsOfOutput,
  problemText,
  withoutOutput,
} from "./documents/operation-problems.ts";
import { listOperations, type Operation } from "./documents/operations.ts";
import { misplacedParameters, unsupportedParameter } from "./documents/parameters.ts";
import { SyntaxProblems } from "./documents/parse-text.ts";
import { type ReadDocument, readDocument } from "./documents/read-document.ts";
import { unsupportedBody } from "./documents/request-body.ts";
import {
  askedSchemes,
  createSecurityReader,
  type DefinedScheme,
  type Provided,
  requirementsOf,
} from "./documents/security.ts";
import { firstServer, otherServersOf, ownServerURL, serverURL } from "./documents/servers.ts";
import { createSchemaExtractor } from "./documents/standalone-schema.ts";
import { localNames, type OperationContext, toolFromOperation, topicsOf } from "./documents/tool.ts";

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

interface CompiledOperations {
  readonly catalog: Catalog;
  /** False: every operation is invalid. */
  readonly isUsable: boolean;
  /** What is wrong with operations that are left out. */
  readonly invalid: readonly DocumentProblem[];
  /** What is wrong with what operations answer. */
  readonly noted: readonly DocumentProblem[];
}

/**
 * Makes a tool of every operation that the curator keeps, or lists it as left out.
 * @param servers what the servers of operations are relative to; undefined: they are not used
 */
async function compileOperations(
  context: Omit<OperationContext, "schemas" | "equal">,
  curator: Curator,
  servers: Parameters<typeof ownServerURL>[1] | undefined,
): Promise<CompiledOperations> {
  const { document, problems, notes, security } = context;
  const tools = new Map<string, UnwrittenTool>();
  const leftOut: LeftOutOperation[] = [];
  const invalid: (readonly DocumentProblem[])[] = [];
  const noted: (readonly DocumentProblem[])[] = [];
  const flawList = createFlawList();
  const operations = listOperations(document, problems, curator.keeps);
  const names = await localNames(operations);
  const equal = createEqualValues();
  const schemas = {
    input: createSchemaExtractor(document, "request", problems, equal),
    output: createSchemaExtractor(document, "response", notes, equal),
  };
  for (const [index, listed] of operations.entries()) {
    const name = names[index] as string;
    const baseURL = servers && ownServerURL(listed.servers, servers);
    const operation = { ...listed, ...(baseURL !== undefined && { baseURL }) };
    const [end, endNotes] = [problems.apart(), notes.apart()];
    const result = await toolFromOperation(operation, name, { ...context, schemas, equal });
    const [found, ofAnswers] = [
      [...operation.problems, ...end(), ...problemsOfInput(result, schemas.input)],
      endNotes(),
    ];
    noted.push(ofAnswers);
    if (found.length > 0) {
      invalid.push(found);
      leftOut.push(invalidOperation(document, operation, name, found));
    } else if (typeof result === "string" || tools.has(result.name)) {
      const reason = typeof result === "string" ? result : "duplicate operation";
      leftOut.push(leftOutOperation(document, security.withoutProvided(operation), name, reason));
    } else {
      const ofDefinitions = problemsOfOutput(result, schemas.output);
      tools.set(result.name, ofDefinitions.length === 0 ? result : withoutOutput(result));
      const wrong = [...ofAnswers, ...ofDefinitions].map((problem) => problemText(document, problem));
      flawList.note("output schema", operation, wrong);
      flawList.note("argument", operation, misplacedParameters(operation));
    }
  }
  const compiled = { tools: [...tools.values()], leftOut, schemas, equal, flaws: flawList.flaws };
  const catalog = await catalogOf(compiled, context, curator);
  const isUsable = invalid.length === 0 || invalid.length < operations.length;
  return { catalog, isUsable, invalid: invalid.flat(), noted: noted.flat() };
}

interface Compiled extends Pick<OperationContext, "schemas" | "equal"> {
  readonly tools: readonly UnwrittenTool[];
  readonly leftOut: readonly LeftOutOperation[];
  readonly flaws: NonNullable<Catalog["flaws"]>;
}

async function catalogOf(
  { tools, leftOut, schemas, equal, flaws }: Compiled,
  { document, prefix, security }: Omit<OperationContext, "schemas" | "equal">,
  curator: Curator,
): Promise<Catalog> {
  const definitions = {
    input: schemas.input.definitionsOf(tools.map(({ details }) => details.inputSchema)),
    output: schemas.output.definitionsOf(tools.map(({ details }) => details.outputSchema)),
  };
  const curated = await curator.override(tools, prefix);
  const requirements = requirementsOf(curated);
  const otherServers = otherServersOf(curated);
  const topics = topicsOf(document, curated);
  const { excluded } = curator.findings();
  const catalog = {
    tools: curated,
    definitions,
    securitySchemes: askedSchemes(requirements, security.defined),
    ...(requirements.length > 0 && { security: requirements }),
    ...(otherServers.length > 0 && { otherServers }),
    ...(topics !== undefined && { topics }),
    ...(excluded > 0 && { excluded }),
    ...(flaws.length > 0 && { flaws }),
    leftOut,
  };
  return writeCatalog(catalog, equal);
}

function leftOutOperation(
  document: JsonObject,
  operation: Operation,
  localName: string,
  reason: LeftOutReason,
): LeftOutOperation {
  const detail = detailOf(document, operation, reason);
  return {
    operation: `${operation.method} ${operation.path}`,
    localName,
    reason,
    ...(detail !== undefined && { detail }),
  };
}

function detailOf(document: JsonObject, operation: Operation, reason: LeftOutReason): string | undefined {
  if (reason === "unsupported request body") return unsupportedBody(document, operation);
  return reason === "unsupported parameter location" ? unsupportedParameter(operation) : undefined;
}
