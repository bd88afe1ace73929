import type { BridgeTool, Catalog, LeftOutOperation } from "./catalog.ts";
import { DocumentError } from "./openapi/document-error.ts";
import { listOperations } from "./openapi/operations.ts";
import { isObject, member, type PlainObject } from "./openapi/plain.ts";
import { readDocument } from "./openapi/read-document.ts";
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
  | { readonly errors: string[] };

/**
 * Turns an OpenAPI 3.0 or 3.1 document (JSON or YAML text) into tools. Runs at build time or start, never for a request.
 * Every operation is a tool or is listed as left out; an invalid document yields errors with JSON Pointers.
 */
export async function compileCatalog(openapiText: string, options: CompileOptions): Promise<CompileResult> {
  try {
    const document = readDocument(openapiText);
    const catalog = await compileOperations(document, prefixOf(options));
    const serverURL = serverURLOf(document);
    return { catalog, ...(serverURL !== undefined && { serverURL }) };
  } catch (cause) {
    if (cause instanceof DocumentError) return { errors: [cause.message] };
    if (cause instanceof RangeError) return { errors: ["(root): is nested too deeply"] };
    throw cause;
  }
}

function prefixOf({ app, namespace }: CompileOptions): string {
  return namespace.disabled ? "" : (namespace.name ?? `${app}_`);
}

async function compileOperations(document: PlainObject, prefix: string): Promise<Catalog> {
  const tools = new Map<string, BridgeTool>();
  const leftOut: LeftOutOperation[] = [];
  const operations = listOperations(document);
  const names = await localNames(operations);
  for (const [index, operation] of operations.entries()) {
    const name = names[index] as string;
    const result = await toolFromOperation(document, operation, name, prefix);
    const reason = typeof result === "string" ? result : tools.has(result.name) ? "duplicate operation" : undefined;
    if (reason !== undefined) leftOut.push({ operation: `${operation.method} ${operation.path}`, reason });
    else if (typeof result !== "string") tools.set(result.name, result);
  }
  return { tools: [...tools.values()], leftOut };
}

function serverURLOf(document: PlainObject): string | undefined {
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
  return isObject(definition) && typeof definition.default === "string" ? definition.default : undefined;
}
