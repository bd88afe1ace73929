import { isJsonObject, type JsonObject } from "../json.ts";
import type { Catalog, CatalogTool, LeftOutOperation, LeftOutReason, ToolDetails } from "./catalog.ts";
import { createProblemList, DocumentError, type DocumentProblem, type ProblemList } from "./openapi/document-error.ts";
import { locateProblems } from "./openapi/locate.ts";
import { listOperations, type Operation } from "./openapi/operations.ts";
import { member } from "./openapi/plain.ts";
import { readDocument, SyntaxProblems } from "./openapi/read-document.ts";
import { unsupportedBody } from "./openapi/request-body.ts";
import { createSchemaExtractor } from "./openapi/standalone-schema.ts";
import { localNames, toolFromOperation } from "./openapi/tool.ts";

export interface CompileOptions {
  readonly app: string;
  /** `toolNamespace` of the app: put in front of each name unless disabled; by default the app's name and `_`. */
  readonly namespace: { readonly disabled: boolean; readonly name?: string };
}

export type CompileResult =
  | {
      readonly catalog: Catalog;
      /** The document's first absolute server URL, variables at their defaults. */
      readonly serverURL?: string;
    }
  | { readonly errors: readonly DocumentProblem[] };

/**
 * Turns an OpenAPI 3.0 or 3.1 document (JSON or YAML text) into tools. Runs at build time or start, never for a request.
 * Every operation is a tool or is listed as left out; an invalid document yields all that is wrong with it.
 */
export async function compileCatalog(openapiText: string, options: CompileOptions): Promise<CompileResult> {
  const problems = createProblemList();
  try {
    const document = readDocument(openapiText, problems);
    const catalog = await compileOperations(document, prefixOf(options), problems);
    if (problems.problems.length > 0) return { errors: locateProblems(openapiText, problems.problems) };
    const serverURL = serverURLOf(document);
    return { catalog, ...(serverURL !== undefined && { serverURL }) };
  } catch (cause) {
    if (cause instanceof SyntaxProblems) return { errors: cause.problems };
    if (cause instanceof DocumentError) {
      return { errors: locateProblems(openapiText, [...problems.problems, cause.problem]) };
    }
    if (cause instanceof RangeError) return { errors: [{ pointer: "", message: "is nested too deeply" }] };
    throw cause;
  }
}

function prefixOf({ app, namespace }: CompileOptions): string {
  return namespace.disabled ? "" : (namespace.name ?? `${app}_`);
}

async function compileOperations(document: JsonObject, prefix: string, problems: ProblemList): Promise<Catalog> {
  const tools = new Map<string, CatalogTool>();
  const leftOut: LeftOutOperation[] = [];
  const operations = listOperations(document, problems);
  const names = await localNames(operations);
  const schemas = {
    input: createSchemaExtractor(document, "request", problems),
    output: createSchemaExtractor(document, "response", problems),
  };
  for (const [index, operation] of operations.entries()) {
    const name = names[index] as string;
    const result = await toolFromOperation(operation, name, { document, prefix, problems, schemas });
    const reason = typeof result === "string" ? result : tools.has(result.name) ? "duplicate operation" : undefined;
    if (reason !== undefined) leftOut.push(leftOutOperation(document, operation, reason));
    else if (typeof result !== "string") tools.set(result.name, result);
  }
  const details = [...tools.values()].map((tool) => JSON.parse(tool.details) as ToolDetails);
  const definitions = {
    input: schemas.input.definitionsOf(details.map(({ inputSchema }) => inputSchema)),
    output: schemas.output.definitionsOf(details.map(({ outputSchema }) => outputSchema)),
  };
  return { tools: [...tools.values()], definitions, securitySchemes: {}, leftOut };
}

function leftOutOperation(document: JsonObject, operation: Operation, reason: LeftOutReason): LeftOutOperation {
  const detail = reason === "unsupported request body" ? unsupportedBody(document, operation) : undefined;
  return {
    operation: `${operation.method} ${operation.path}`,
    reason,
    ...(detail !== undefined && { detail }),
  };
}

function serverURLOf(document: JsonObject): string | undefined {
  const servers = Array.isArray(document.servers) ? document.servers : [];
  for (const server of servers) {
    const template = member(server, "url");
    if (typeof template !== "string") continue;
    const url = template.replaceAll(/\{([^{}]+)\}/g, (placeholder, name) => variable(server, name) ?? placeholder);
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return url.replace(/\/+$/, "");
  }
  return undefined;
}

function variable(server: unknown, name: string): string | undefined {
  const definition = member(member(server, "variables"), name);
  return isJsonObject(definition) && typeof definition.default === "string" ? definition.default : undefined;
}
