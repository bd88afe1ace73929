import { isJsonObject, type JsonObject } from "../../json.ts";
import { below, DocumentError, type DocumentProblem, type ProblemList } from "./document-error.ts";
import { listParameters, type Parameter, pathParameterProblems, withShared } from "./operation-parameters.ts";
import { type PathItem, pathItem } from "./path-item.ts";
import { bounded, text } from "./plain.ts";
import { resolve } from "./reference.ts";

export type { Parameter } from "./operation-parameters.ts";

/** An Operation Object with what it inherits from its Path Item. */
export interface Operation {
  /** Upper case, except for `additionalOperations`; `*` for those of a Path Item that cannot be read. */
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
  readonly operationId: string | undefined;
  readonly definition: JsonObject;
  /** The operation's own first; a Path Item's parameter that the operation repeats is left out (OpenAPI, Path Item Object). */
  readonly parameters: readonly Parameter[];
  /** The Server Objects of the operation, else of its Path Item; undefined where it has the document's. */
  readonly servers: unknown;
  /** What is wrong with it; the rest of it is there nevertheless. */
  readonly problems: readonly DocumentProblem[];
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** Members of a Path Item Object that are no operations. */
const OTHER_MEMBERS = ["$ref", "summary", "description", "servers", "parameters", "additionalOperations"];
/** Characters of a key that are told. */
const KEY_LENGTH = 60;

interface Context {
  readonly document: JsonObject;
  readonly problems: ProblemList;
  readonly keeps: Keeps;
}

/** Whether an operation is looked at at all. */
type Keeps = (method: string, path: string, definition: unknown) => boolean;

/** Every operation in the order of the document that is kept, also those that are invalid: each has its own problems. */
export function listOperations(document: JsonObject, problems: ProblemList, keeps: Keeps): readonly Operation[] {
  const target = problems.attempt(() => resolve(document, document.paths ?? {}, "/paths"), undefined);
  if (target === undefined) return [];
  if (!isJsonObject(target.value)) {
    problems.report("/paths", "must be an object");
    return [];
  }
  return Object.entries(target.value)
    .filter(([path]) => !path.startsWith("x-"))
    .flatMap(([path, item]) => pathOperations({ document, problems, keeps }, path, item, below(target.pointer, path)));
}

function pathOperations(context: Context, path: string, value: unknown, pointer: string): readonly Operation[] {
  const { document, problems, keeps } = context;
  const end = problems.apart();
  const item = problems.attempt(() => pathItem(document, value, pointer), undefined);
  if (item === undefined) return unreadable(keeps, path, pointer, end());
  const shared = problems.attempt(() => listParameters(context, item.get("parameters")), []);
  if (!path.startsWith("/")) problems.report(pointer, "a path starts with a slash");
  const found = operationsOf(context, item);
  const own = end();
  if (found.length === 0 && own.length > 0) return unreadable(keeps, path, pointer, own);
  return found
    .filter((found) => keeps(found.method, path, definitionIn(context, found)))
    .map((found) => operation(context, path, item, { ...found, shared, problems: own }));
}

/** In an item that cannot be read any method could be: it is told of unless all are left out. */
function unreadable(keeps: Keeps, path: string, pointer: string, problems: readonly DocumentProblem[]): Operation[] {
  const kept = METHODS.filter((method) => keeps(method.toUpperCase(), path, undefined));
  const nothing = { operationId: undefined, definition: {}, parameters: [], servers: undefined };
  return kept.length === 0 ? [] : [{ method: "*", path, pointer, ...nothing, problems }];
}

/** What an operation is known by, as far as it can be read; what is wrong with it is not told yet. */
function definitionIn({ document, problems }: Context, { definition, pointer }: FoundOperation): unknown {
  const end = problems.apart();
  const value = problems.attempt(() => resolve(document, definition, pointer).value, definition);
  end();
  return value;
}

interface FoundOperation {
  readonly method: string;
  readonly definition: unknown;
  readonly pointer: string;
  /** Why it is none that OpenAPI knows. */
  readonly refusal?: string;
}

function operationsOf({ document, problems }: Context, item: PathItem): readonly FoundOperation[] {
  const fixed = METHODS.flatMap((name) => {
    const target = item.get(name);
    return target === undefined
      ? []
      : [{ method: name.toUpperCase(), definition: target.value, pointer: target.pointer }];
  });
  const misnamed = misnamedOperations(item);
  const additional = item.get("additionalOperations");
  if (additional === undefined) return [...fixed, ...misnamed];
  // OpenAPI 3.2: sent with the capitalization of the key.
  const target = problems.attempt(() => resolve(document, additional.value, additional.pointer), additional);
  const others = Object.entries(isJsonObject(target.value) ? target.value : {})
    .filter(([method]) => fixed.every((one) => one.method !== method))
    .map(([method, definition]) => ({ method, definition, pointer: below(target.pointer, method) }));
  return [...fixed, ...others, ...misnamed];
}

/** Keys are case-sensitive (OpenAPI, Format): what was meant as an operation and is none would be lost without a word. */
function misnamedOperations(item: PathItem): readonly FoundOperation[] {
  return [...item].flatMap(([key, { value, pointer }]) => {
    const method = key.toLowerCase();
    if (METHODS.includes(key) || OTHER_MEMBERS.includes(key) || key.startsWith("x-")) return [];
    const isMethod = METHODS.includes(method);
    if (!isMethod && !isOperation(value)) return [];
    const refusal = isMethod
      ? `the key ${key} has to be in lower case: ${method}`
      : `the key ${bounded(key, KEY_LENGTH)} is no method of a Path Item; accepted: ${METHODS.join(", ")}, and others in additionalOperations`;
    return [{ method: isMethod ? key.toUpperCase() : bounded(key, KEY_LENGTH), definition: value, pointer, refusal }];
  });
}

/** By members that no other object at the place of one has. */
function isOperation(value: unknown): boolean {
  return isJsonObject(value) && (isJsonObject(value.responses) || typeof value.operationId === "string");
}

function operation(
  context: Context,
  path: string,
  item: PathItem,
  found: FoundOperation & { readonly shared: readonly Parameter[]; readonly problems: readonly DocumentProblem[] },
): Operation {
  const { document, problems } = context;
  const end = problems.apart();
  if (found.refusal !== undefined) problems.report(found.pointer, found.refusal);
  const { definition, pointer } = problems.attempt(() => definitionOf(document, found), {
    definition: {},
    pointer: found.pointer,
  });
  const parameters = problems.attempt(() => {
    const own = { value: definition.parameters, pointer: below(pointer, "parameters") };
    return withShared(listParameters(context, own), found.shared);
  }, found.shared);
  const used = pathParameterProblems(path, parameters);
  for (const message of used) problems.report(pointer, message);
  return {
    method: found.method,
    path,
    pointer,
    operationId: text(definition.operationId),
    definition,
    parameters,
    servers: definition.servers ?? item.get("servers")?.value,
    problems: [...found.problems, ...end()],
  };
}

/** Operations in files of their own are referred to in documents, although the standard has no such reference. */
function definitionOf(document: JsonObject, { definition, pointer }: FoundOperation) {
  const target = resolve(document, definition, pointer);
  if (!isJsonObject(target.value)) throw new DocumentError(target.pointer, "an operation is an object");
  return { definition: target.value, pointer: target.pointer };
}
