import { sha256 } from "#sha256";
import { hex } from "../../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { Catalog, CatalogTool, LeftOutReason, ParamHeader, ToolAnnotations, ToolDetails } from "../catalog.ts";
import type { UnwrittenTool } from "../catalog-texts.ts";
import { exposedName } from "../names.ts";
import { firstSentence, isLong, titleOf } from "../summary.ts";
import { layOutArguments } from "./arguments.ts";
import type { ProblemList } from "./document-error.ts";
import type { EqualValues } from "./equal-values.ts";
import type { Operation } from "./operations.ts";
import { supportedParameters } from "./parameters.ts";
import { bounded, text } from "./plain.ts";
import { supportedBody } from "./request-body.ts";
import { type SuccessResponses, successResponses } from "./responses.ts";
import type { SecurityReader } from "./security.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

const DESCRIPTION_LIMIT = 1200;
const NO_RESPONSES: SuccessResponses = { accept: "*/*", redirects: false, outputSchema: undefined };

/** What the operations of one document are read with. */
export interface OperationContext {
  readonly document: JsonObject;
  /** Put in front of each name. */
  readonly prefix: string;
  readonly problems: ProblemList;
  /** Problems that cost a tool no more than its output schema. */
  readonly notes: ProblemList;
  readonly security: SecurityReader;
  /** Of requests and of responses, for the whole document. */
  readonly schemas: { readonly input: SchemaExtractor; readonly output: SchemaExtractor };
  readonly equal: EqualValues;
}

/** The tool of an operation, or why it cannot be one; what is wrong with the document is reported. */
export async function toolFromOperation(
  operation: Operation & { readonly baseURL?: string },
  localName: string,
  context: OperationContext,
): Promise<UnwrittenTool | LeftOutReason> {
  const { document, prefix, problems, notes, schemas, security, equal } = context;
  if (!isSendable(operation.method)) return "unsupported method";
  const parameters = problems.attempt(
    () => supportedParameters(document, security.withoutProvided(operation), schemas.input),
    [],
  );
  if (typeof parameters === "string") return parameters;
  const body = problems.attempt(() => supportedBody(document, operation, schemas.input), undefined);
  if (typeof body === "string") return body;

  const layout = await layOutArguments(parameters, body);
  const responses = notes.attempt(() => successResponses(document, operation, schemas.output), NO_RESPONSES);
  const { accept, redirects, outputSchema } = responses;
  const { method, path } = operation;
  const asked = security.alternativesOf(operation);
  const details: ToolDetails = {
    inputSchema: layout.inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    request: {
      ...(operation.baseURL !== undefined && { baseURL: operation.baseURL }),
      parameters: layout.parameters,
      ...(asked !== undefined && { security: asked }),
      ...(layout.body && { body: layout.body }),
      accept,
      ...(redirects && { redirects }),
    },
  };
  const tags = tagsOf(operation.definition);
  const paramHeaders = schemas.input.namesHeaders() ? paramHeadersOf(layout.inputSchema) : [];
  return {
    name: await exposedName(prefix + localName, hashOf(operation)),
    localName,
    ...texts(operation.definition, body?.isLeftOutElsewhere === true ? WITHOUT_BODY : undefined),
    method,
    path,
    ...(tags.length > 0 && { tags }),
    annotations: annotationsOf(method),
    ...(paramHeaders.length > 0 && { paramHeaders }),
    details: equal.one(details),
  };
}

function tagsOf({ tags }: JsonObject): readonly string[] {
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** Characters that a search reads of what a document says of a tag. */
const TOPIC_LIMIT = 200;

/** What the document says of tags that these tools have (OpenAPI, Tag Object). */
export function topicsOf({ tags }: JsonObject, tools: readonly Pick<CatalogTool, "tags">[]): Catalog["topics"] {
  const used = new Set(tools.flatMap((tool) => tool.tags ?? []));
  const topics = new Map<string, string>();
  for (const tag of Array.isArray(tags) ? tags.filter(isJsonObject) : []) {
    const [name, description] = [text(tag.name) ?? "", firstSentence(text(tag.description) ?? "")];
    if (used.has(name) && description !== "") topics.set(name, bounded(description, TOPIC_LIMIT));
  }
  return topics.size > 0 ? Object.fromEntries(topics) : undefined;
}

/** RFC 9110 §9.1, without what the Fetch standard forbids. */
function isSendable(method: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method) && !/^(connect|trace|track)$/i.test(method);
}

/**
 * Names without namespace: the operationId as it stands, else one from method and path. Operations with the same
 * operationId each get a hash of their method and path, and so do made names that are equal (`/a/{b}` and `/a/b`) or equal an
 * operationId: the order in the document does not decide, and none is lost.
 */
export async function localNames(operations: readonly Operation[]): Promise<readonly string[]> {
  const candidates = operations.map((operation) => operation.operationId ?? madeName(operation));
  const [all, ids] = [counts(candidates), counts(operations.map(({ operationId }) => operationId))];
  return operations.map(({ operationId, method, path }, index) => {
    const name = candidates[index] as string;
    if ((operationId === undefined ? all : ids).get(name) === 1) return name;
    return `${name}_${hashOf({ method, path })}`;
  });
}

/** No two operations of a document have the same method and path. */
function hashOf({ method, path }: Pick<Operation, "method" | "path">): string {
  return hex(sha256(`${method} ${path}`)).slice(0, 8);
}

function counts(names: readonly (string | undefined)[]): ReadonlyMap<string | undefined, number> {
  const count = new Map<string | undefined, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return count;
}

function madeName({ method, path }: Operation): string {
  const segments = path.replaceAll(/[^A-Za-z0-9]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return [method.toLowerCase(), segments].filter(Boolean).join("_");
}

const WITHOUT_BODY = "The API accepts this request without a body, too. This tool always sends one.";

/** @param note what the document does not say in its texts */
function texts(definition: JsonObject, note?: string): Pick<CatalogTool, "title" | "description"> {
  const [summary, own] = [text(definition.summary)?.trim(), text(definition.description)];
  // What of a long summary is not in the title stands nowhere else.
  const isLost = summary !== undefined && own !== undefined && isLong(summary);
  const said = isLost ? `${summary}\n\n${own}` : (own ?? summary);
  const room = DESCRIPTION_LIMIT - (note === undefined ? 0 : note.length + 2);
  const parts = [...(said === undefined ? [] : [bounded(said, room)]), ...(note === undefined ? [] : [note])];
  return {
    ...(summary !== undefined && { title: titleOf(summary) }),
    ...(parts.length > 0 && { description: parts.join("\n\n") }),
  };
}

function annotationsOf(method: string): ToolAnnotations {
  return {
    ...((method === "GET" || method === "HEAD" || method === "QUERY") && { readOnlyHint: true }),
    ...((method === "PUT" || method === "DELETE") && { idempotentHint: true }),
    ...(method === "DELETE" && { destructiveHint: true }),
  };
}

/** RFC 9110 §5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** What a tool's schema declares by `x-mcp-header` (MCP 2026-07-28, Transports, Custom Headers from Tool Parameters). */
function paramHeadersOf(schema: unknown, path: readonly string[] = []): readonly ParamHeader[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    const header = isJsonObject(property) ? property["x-mcp-header"] : undefined;
    const inner = paramHeadersOf(property, [...path, key]);
    return typeof header === "string" && TOKEN.test(header)
      ? [{ name: `Mcp-Param-${header}`, path: [...path, key] }, ...inner]
      : inner;
  });
}
