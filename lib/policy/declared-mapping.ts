import { type BoundedCache, boundedCache } from "../kernel/bounded-cache.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { compileValue, type ValueExpression } from "./cel/compile.ts";
import { ExpressionError } from "./cel/syntax.ts";

/** What the expressions of a mapping read, and what no mapping says. */
export interface MappingInput {
  /** `params` of the request. */
  readonly params: JsonObject;
  /** Claims of the caller's token. */
  readonly token: JsonObject;
  /** `sub` of the token: the subject, whatever the mapping has. */
  readonly subject: string;
  /** Client id; absent: nobody is authenticated. */
  readonly agent?: string | undefined;
}

/** A request that a mapping makes, and the API that it is for. */
export interface MappedRequest {
  readonly api: "evaluation" | "evaluations";
  readonly body: JsonObject;
}

/** The mapping makes no request; the text is for logs, and holds nothing of the call. */
export class MappingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MappingError";
  }
}

/** Values of a mapping, and levels. */
const MOST_VALUES = 200;
/** Together they take no longer than a policy may. */
const MOST_EXPRESSIONS = 20;
const DEEPEST = 10;
/** Decisions that one call needs. */
const MOST_EVALUATIONS = 20;

/** Expressions by their text: the same few tools are called again and again. */
export type KnownExpressions = BoundedCache<string, ValueExpression>;

export function knownExpressions(): KnownExpressions {
  return boundedCache(500);
}

/**
 * The request of a mapping that an MCP server declares for a tool, as `x-authzen-mapping` (COAZ-MCP draft 1, Declared Mappings). The
 * server is the party that is judged: it says what of its call matters, and never who asks.
 *
 * @throws {MappingError}
 */
export function mappedRequest(mapping: unknown, input: MappingInput, known: KnownExpressions): MappedRequest {
  const [envelope, ...others] = isJsonObject(mapping) ? Object.entries(mapping) : [];
  if (envelope === undefined || others.length > 0) throw new MappingError("has not one of evaluation and evaluations");
  const [api, template] = envelope;
  if ((api !== "evaluation" && api !== "evaluations") || !isJsonObject(template))
    throw new MappingError("has neither evaluation nor evaluations");
  const body = resolved(template, input, known);
  return api === "evaluation" ? { api, body: asked(body, input, ONE) } : { api, body: severally(body, input) };
}

const ONE = ["subject", "action", "resource", "context"];
const ENTRY = ["action", "resource", "context"];

function severally(body: JsonObject, input: MappingInput): JsonObject {
  const { evaluations, ...defaults } = body;
  if (!Array.isArray(evaluations) || evaluations.length === 0 || evaluations.length > MOST_EVALUATIONS)
    throw new MappingError(`has not between 1 and ${MOST_EVALUATIONS} evaluations`);
  onlyMembers(defaults, ONE);
  const entries = evaluations.map((entry: unknown) => {
    if (!isJsonObject(entry)) throw new MappingError("has an evaluation that is no object");
    // A subject in an entry would be another one than the caller.
    onlyMembers(entry, ENTRY);
    const { subject: _, ...whole } = asked({ ...defaults, ...entry }, input, ONE);
    return whole;
  });
  const { subject } = subjectOf(defaults, input);
  return { subject, evaluations: entries, options: { evaluations_semantic: "execute_all" } };
}

function asked(body: JsonObject, input: MappingInput, members: readonly string[]): JsonObject {
  onlyMembers(body, members);
  const { action, resource, context = {} } = body;
  if (!isJsonObject(action) || typeof action.name !== "string") throw new MappingError("has no action with a name");
  if (!isJsonObject(resource) || typeof resource.type !== "string" || typeof resource.id !== "string")
    throw new MappingError("has no resource with type and id");
  if (!isJsonObject(context)) throw new MappingError("has a context that is no object");
  const { agent: _, ...more } = context;
  const about = { ...more, ...(input.agent !== undefined && { agent: input.agent }) };
  return { ...subjectOf(body, input), action, resource, context: about };
}

/** `id` is the token's; where the mapping has one it has to be the same (COAZ-MCP draft 1, Declared Mappings). */
function subjectOf({ subject = {} }: JsonObject, input: MappingInput): { readonly subject: JsonObject } {
  if (!isJsonObject(subject)) throw new MappingError("has a subject that is no object");
  const { id = input.subject, type = "identity", ...more } = subject;
  if (id !== input.subject) throw new MappingError("names another subject than the token");
  if (typeof type !== "string") throw new MappingError("has a type of the subject that is no text");
  return { subject: { ...more, type, id } };
}

function onlyMembers(value: JsonObject, members: readonly string[]): void {
  if (!Object.keys(value).every((name) => members.includes(name)))
    throw new MappingError(`has members other than ${members.join(", ")}`);
}

/** Every value with its expressions evaluated; what an optional selection does not find is left out. */
function resolved(template: JsonObject, input: MappingInput, known: KnownExpressions): JsonObject {
  let left = MOST_VALUES;
  let expressions = MOST_EXPRESSIONS;
  const walk = (value: unknown, depth: number): unknown => {
    left -= 1;
    if (left < 0 || depth > DEEPEST) throw new MappingError("is too large");
    if (typeof value === "string") {
      if (isExpression(value)) expressions -= 1;
      if (expressions < 0) throw new MappingError(`has more than ${MOST_EXPRESSIONS} expressions`);
      return textOf(value, input, known);
    }
    if (Array.isArray(value))
      return value.map((entry) => walk(entry, depth + 1)).filter((entry) => entry !== undefined);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([name, entry]) => [name, walk(entry, depth + 1)] as const);
    return Object.fromEntries(members.filter(([, entry]) => entry !== undefined));
  };
  return walk(template, 0) as JsonObject;
}

function isExpression(text: string): boolean {
  return text.startsWith("$") && !text.startsWith("$$");
}

/** `$` begins an expression, `$$` a literal that begins with a dollar. */
function textOf(text: string, { params, token }: MappingInput, known: KnownExpressions): unknown {
  if (!isExpression(text)) return text.startsWith("$$") ? text.slice(1) : text;
  const found = expressionOf(text.slice(1), known)({ params, token });
  if ("failure" in found) throw new MappingError(`has an expression that fails: ${found.failure}`);
  return found.value;
}

function expressionOf(text: string, known: KnownExpressions): ValueExpression {
  if (text.length > LONGEST_EXPRESSION)
    throw new MappingError(`has an expression of more than ${LONGEST_EXPRESSION} characters`);
  try {
    const found = known.get(text) ?? compileValue(text, ["params", "token"]);
    known.put(text, found);
    return found;
  } catch (cause) {
    if (cause instanceof ExpressionError) throw new MappingError("has an expression that is none");
    throw cause;
  }
}

/** Characters: what is nested deeper than the parser's stack has more. */
const LONGEST_EXPRESSION = 2_000;
