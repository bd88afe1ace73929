import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { below, DocumentError, type DocumentProblem, type ProblemList } from "./document-error.ts";
import { bounded, text } from "./plain.ts";
import { follow, referenceOf, resolve, type Target } from "./reference.ts";

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

/** A Parameter Object, resolved. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly definition: JsonObject;
  readonly pointer: string;
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
  for (const message of pathProblems(path)) problems.report(pointer, message);
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

/** The members of a Path Item Object and where they stand. */
type PathItem = ReadonlyMap<string, Target>;

/**
 * A Path Item with what it refers to; its own members win (OpenAPI leaves open which do). Throws a `DocumentError` when
 * it cannot be read.
 */
function pathItem(document: JsonObject, value: unknown, pointer: string): PathItem {
  const members = new Map<string, Target>();
  const seen = new Set<string>();
  // A key without value, as YAML has them, is an item without members.
  let target: Target = { value: value ?? {}, pointer };
  for (;;) {
    if (!isJsonObject(target.value)) throw new DocumentError(target.pointer, "a Path Item is an object");
    for (const [name, member] of Object.entries(target.value)) {
      if (!members.has(name) && member !== null)
        members.set(name, { value: member, pointer: below(target.pointer, name) });
    }
    const reference = referenceOf(target.value);
    if (reference === undefined) return members;
    if (seen.has(reference)) throw new DocumentError(pointer, `the reference ${reference} leads back to itself`);
    seen.add(reference);
    target = follow(document, reference, target.pointer);
  }
}

/** What is wrong with one is reported; of equal ones the first stays. Throws a `DocumentError` for anything but a list. */
function listParameters(
  { document, problems }: { readonly document: JsonObject; readonly problems: ProblemList },
  list: Target | undefined,
): readonly Parameter[] {
  if (list === undefined || list.value === undefined || list.value === null) return [];
  const { value, pointer } = resolve(document, list.value, list.pointer);
  if (!Array.isArray(value)) throw new DocumentError(pointer, "must be an array");
  const parameters = value.flatMap((entry, index) =>
    problems.attempt(() => [parameter(document, entry, below(pointer, String(index)))], []),
  );
  const first = new Map<string, Parameter>();
  for (const one of parameters) {
    const before = first.get(identity(one));
    if (before === undefined) first.set(identity(one), one);
    else if (!isEqual(before, one)) problems.report(one.pointer, `"${one.name}" in ${one.in} is declared twice`);
  }
  return [...first.values()];
}

/** An operation's parameters and those of its Path Item that it does not declare itself. */
function withShared(own: readonly Parameter[], shared: readonly Parameter[]): readonly Parameter[] {
  const repeated = new Set(own.map(identity));
  return [...own, ...shared.filter((parameter) => !repeated.has(identity(parameter)))];
}

/**
 * What keeps a path from being called as it stands. Documents write `<name>` where they mean a parameter, or a whole URL that another
 * operation answers with; no path has these characters (RFC 3986 §3.3), and sent as they are they reach nothing.
 */
function pathProblems(path: string): readonly string[] {
  const [placeholder, name] = /<([^<>]*)>/.exec(path) ?? [];
  const shown = bounded(placeholder ?? "", KEY_LENGTH);
  return [
    ...(path.startsWith("/") ? [] : ["a path starts with a slash"]),
    ...(placeholder === undefined
      ? []
      : [
          `${shown} in the path is a placeholder that no call can fill; accepted: {${bounded(name ?? "", KEY_LENGTH)}}, declared as a path parameter`,
        ]),
  ];
}

/** Whether each placeholder of the path has its parameter, and each path parameter its placeholder. */
function pathParameterProblems(path: string, parameters: readonly Parameter[]): readonly string[] {
  const placeholders = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string));
  const declared = new Set(parameters.filter((entry) => entry.in === "path").map((entry) => entry.name));
  return [
    ...[...placeholders]
      .filter((name) => !declared.has(name))
      .map((name) => `declares no path parameter for {${name}}`),
    ...[...declared]
      .filter((name) => !placeholders.has(name))
      .map((name) => `the path has no {${name}} for its path parameter`),
  ];
}

function parameter(document: JsonObject, value: unknown, pointer: string): Parameter {
  const { value: definition, pointer: at } = resolve(document, value, pointer);
  if (!isJsonObject(definition)) throw new DocumentError(at, "a parameter is an object");
  const name = text(definition.name);
  const location = text(definition.in);
  if (name === undefined) throw new DocumentError(below(at, "name"), "is required");
  if (location === undefined) throw new DocumentError(below(at, "in"), "is required");
  return { name, in: location, definition, pointer: at };
}

function identity({ in: location, name }: Parameter): string {
  return `${location} ${location === "header" ? name.toLowerCase() : name}`;
}

function isEqual(one: Parameter, other: Parameter): boolean {
  return one.pointer === other.pointer || JSON.stringify(one.definition) === JSON.stringify(other.definition);
}
