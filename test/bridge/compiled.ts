import type { BridgeTool, Catalog, CatalogTool } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import type { DocumentProblem } from "../../lib/openapi/documents/document-error.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";

/** Compiles a document that is correct except for what the test is about. */
export async function compile(
  document: Readonly<Record<string, unknown>>,
  namespace: { disabled: boolean; name?: string } = { disabled: true },
): Promise<Catalog> {
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, ...document });
  const result = await compileCatalog(text, { app: "app", namespace });
  if ("errors" in result) throw new Error(result.errors.map(problemText).join("\n"));
  return result.catalog;
}

export async function errorsOf(document: Readonly<Record<string, unknown>> | string): Promise<readonly string[]> {
  const text =
    typeof document === "string"
      ? document
      : JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, ...document });
  const result = await compileCatalog(text, { app: "app", namespace: { disabled: true } });
  return "errors" in result ? result.errors.map(problemText) : [];
}

function problemText({ pointer, message }: DocumentProblem): string {
  return `${pointer}: ${message}`;
}

/** Every tool with its schemas; none where the document is refused. */
export function opened(result: { readonly catalog: Catalog } | { readonly errors: unknown }): readonly BridgeTool[] {
  return "catalog" in result ? result.catalog.tools.map(createOpenTool(result.catalog)) : [];
}

/** The only tool of a document with this one operation. */
export async function compileOperation(
  method: string,
  path: string,
  operation: Readonly<Record<string, unknown>>,
  components: Readonly<Record<string, unknown>> = {},
): Promise<BridgeTool> {
  const catalog = await compile({ paths: { [path]: { [method]: operation } }, components });
  const [tool] = catalog.tools;
  if (tool === undefined) throw new Error(`left out: ${catalog.leftOut[0]?.reason}`);
  return createOpenTool(catalog)(tool as CatalogTool);
}

export function jsonBody(schema: unknown, required = true) {
  return { required, content: { "application/json": { schema } } };
}

export function parameter(name: string, location: string, more: Readonly<Record<string, unknown>> = {}) {
  return { name, in: location, ...(location === "path" && { required: true }), schema: { type: "string" }, ...more };
}
