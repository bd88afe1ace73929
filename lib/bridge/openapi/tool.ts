import { hex, sha256 } from "../../encoding.ts";
import type { JsonObject } from "../../json.ts";
import type { CatalogTool, LeftOutReason, ToolAnnotations, ToolDetails } from "../catalog.ts";
import { exposedName } from "../names.ts";
import { paramHeadersOf } from "../param-headers.ts";
import { layOutArguments } from "./arguments.ts";
import type { ProblemList } from "./document-error.ts";
import type { Operation } from "./operations.ts";
import { supportedParameters } from "./parameters.ts";
import { bounded, text } from "./plain.ts";
import { supportedBody } from "./request-body.ts";
import { type SuccessResponses, successResponses } from "./responses.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

const DESCRIPTION_LIMIT = 1200;
const NO_RESPONSES: SuccessResponses = { accept: "*/*", outputSchema: undefined };

/** What the operations of one document are read with. */
export interface OperationContext {
  readonly document: JsonObject;
  /** Put in front of each name. */
  readonly prefix: string;
  readonly problems: ProblemList;
  /** Of requests and of responses, for the whole document. */
  readonly schemas: { readonly input: SchemaExtractor; readonly output: SchemaExtractor };
}

/** The tool of an operation, or why it cannot be one; what is wrong with the document is reported. */
export async function toolFromOperation(
  operation: Operation,
  localName: string,
  context: OperationContext,
): Promise<CatalogTool | LeftOutReason> {
  const { document, prefix, problems, schemas } = context;
  // The Fetch standard forbids TRACE.
  if (operation.method === "TRACE") return "unsupported method";
  const parameters = problems.attempt(() => supportedParameters(operation, schemas.input), []);
  if (typeof parameters === "string") return parameters;
  const body = problems.attempt(() => supportedBody(document, operation, schemas.input), undefined);
  if (typeof body === "string") return body;

  const layout = await layOutArguments(parameters, body);
  const responses = problems.attempt(() => successResponses(document, operation, schemas.output), NO_RESPONSES);
  const { accept, outputSchema } = responses;
  const { method, path } = operation;
  const details: ToolDetails = {
    inputSchema: layout.inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    request: { method, path, parameters: layout.parameters, ...(layout.body && { body: layout.body }), accept },
  };
  const tags = tagsOf(operation.definition);
  const paramHeaders = paramHeadersOf(layout.inputSchema);
  return {
    name: await exposedName(prefix + localName),
    localName,
    ...texts(operation.definition),
    method,
    path,
    ...(tags.length > 0 && { tags }),
    annotations: annotationsOf(method),
    ...(paramHeaders.length > 0 && { paramHeaders }),
    details: JSON.stringify(details),
  };
}

function tagsOf({ tags }: JsonObject): readonly string[] {
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/**
 * Names without namespace: the operationId as it stands, else one from method and path. Where two made names are equal
 * (`/a/{b}` and `/a/b`), or one equals an operationId, each made one gets a hash of its method and path.
 */
export async function localNames(operations: readonly Operation[]): Promise<readonly string[]> {
  const candidates = operations.map((operation) => operation.operationId ?? madeName(operation));
  const count = new Map<string, number>();
  for (const name of candidates) count.set(name, (count.get(name) ?? 0) + 1);
  return Promise.all(
    operations.map(async ({ operationId, method, path }, index) => {
      const name = candidates[index] as string;
      if (operationId !== undefined || count.get(name) === 1) return name;
      return `${name}_${hex(sha256(`${method} ${path}`)).slice(0, 8)}`;
    }),
  );
}

function madeName({ method, path }: Operation): string {
  const segments = path.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return [method.toLowerCase(), segments].filter(Boolean).join("_");
}

function texts(definition: JsonObject): Pick<CatalogTool, "title" | "description"> {
  const title = text(definition.summary);
  const description = text(definition.description) ?? title;
  return {
    ...(title !== undefined && { title: bounded(title, 120) }),
    ...(description !== undefined && { description: bounded(description, DESCRIPTION_LIMIT) }),
  };
}

function annotationsOf(method: string): ToolAnnotations {
  return {
    ...((method === "GET" || method === "HEAD") && { readOnlyHint: true }),
    ...((method === "PUT" || method === "DELETE") && { idempotentHint: true }),
    ...(method === "DELETE" && { destructiveHint: true }),
  };
}
