import type { JsonObject } from "../../json.ts";
import type { CatalogTool, LeftOutOperation, LeftOutReason, ToolDetails } from "../catalog.ts";
import { bundleOf, sourceOf } from "./bundle-shape.ts";
import type { DocumentProblem } from "./document-error.ts";
import type { Operation } from "./operations.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** An operation that is left out for what is wrong with it. */
export function invalidOperation(
  document: JsonObject,
  { method, path, pointer }: Operation,
  problems: readonly DocumentProblem[],
): LeftOutOperation {
  const [first, ...others] = problems as readonly [DocumentProblem, ...DocumentProblem[]];
  const place = first.pointer === pointer ? "" : ` (at ${placeOf(document, first.pointer)})`;
  const more = others.length === 0 ? "" : `; and ${others.length} more`;
  return { operation: `${method} ${path}`, reason: "invalid operation", detail: `${first.message}${place}${more}` };
}

/** What is wrong with the schemas that the arguments of a tool need, told once for each tool. */
export function problemsOfInput(
  result: CatalogTool | LeftOutReason,
  schemas: SchemaExtractor,
): readonly DocumentProblem[] {
  return typeof result === "string" ? [] : schemas.problemsOf(() => detailsOf(result).inputSchema);
}

/** A tool works without an output schema; clients refuse one that is broken. */
export function withoutBrokenOutput(tool: CatalogTool, schemas: SchemaExtractor): CatalogTool {
  if (schemas.problemsOf(() => detailsOf(tool).outputSchema).length === 0) return tool;
  const { outputSchema: _, ...details } = detailsOf(tool);
  return { ...tool, details: JSON.stringify(details) };
}

function detailsOf({ details }: CatalogTool): ToolDetails {
  return JSON.parse(details) as ToolDetails;
}

function placeOf(document: JsonObject, pointer: string): string {
  const source = sourceOf(pointer);
  if (source.index === undefined) return source.pointer;
  const uri = bundleOf(document).uris?.[source.index] ?? "";
  return `${uri.replace(/^file:\/\//, "")}#${source.pointer}`;
}
