import { isJsonObject, type JsonObject } from "../../json.ts";
import { below, DocumentError, type ProblemList } from "./document-error.ts";
import { text } from "./plain.ts";
import { resolve, type Target } from "./reference.ts";

/** An Operation Object with what it inherits from its Path Item. */
export interface Operation {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
  readonly operationId: string | undefined;
  readonly definition: JsonObject;
  /** The operation's own first; a Path Item's parameter that the operation repeats is left out (OpenAPI, Path Item Object). */
  readonly parameters: readonly Parameter[];
}

/** A Parameter Object, resolved. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly definition: JsonObject;
  readonly pointer: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

interface Context {
  readonly document: JsonObject;
  readonly problems: ProblemList;
}

/** Every operation in the order of the document; what is wrong with one is reported and leaves out no other. */
export function listOperations(document: JsonObject, problems: ProblemList): readonly Operation[] {
  const { paths = {} } = document;
  if (!isJsonObject(paths)) {
    problems.report("/paths", "must be an object");
    return [];
  }
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith("x-"))
    .flatMap(([path, item]) => problems.attempt(() => pathOperations({ document, problems }, path, item), []));
}

function pathOperations(context: Context, path: string, item: unknown): Operation[] {
  const pointer = below("/paths", path);
  if (!path.startsWith("/")) throw new DocumentError(pointer, "a path starts with a slash");
  const target = object(resolve(context.document, item, pointer), "a Path Item");
  const shared = listParameters(context, target.value.parameters, below(target.pointer, "parameters"));
  return METHODS.filter((method) => target.value[method] !== undefined).flatMap((method) =>
    context.problems.attempt(() => [operation(context, method, path, shared, target)], []),
  );
}

function operation(
  context: Context,
  method: string,
  path: string,
  shared: readonly Parameter[],
  item: { readonly value: JsonObject; readonly pointer: string },
): Operation {
  const pointer = below(item.pointer, method);
  const definition = item.value[method];
  if (!isJsonObject(definition)) throw new DocumentError(pointer, "an operation is an object");
  const own = listParameters(context, definition.parameters, below(pointer, "parameters"));
  const repeated = new Set(own.map(identity));
  const parameters = [...own, ...shared.filter((parameter) => !repeated.has(identity(parameter)))];
  checkPathParameters(path, parameters, pointer, context.problems);
  return {
    method: method.toUpperCase(),
    path,
    pointer,
    operationId: text(definition.operationId),
    definition,
    parameters,
  };
}

function listParameters({ document, problems }: Context, value: unknown, pointer: string): Parameter[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new DocumentError(pointer, "must be an array");
  const parameters = value.flatMap((entry, index) =>
    problems.attempt(() => [parameter(document, entry, below(pointer, String(index)))], []),
  );
  const seen = new Set<string>();
  for (const one of parameters) {
    if (seen.has(identity(one))) problems.report(one.pointer, `"${one.name}" in ${one.in} is declared twice`);
    seen.add(identity(one));
  }
  return parameters;
}

function parameter(document: JsonObject, value: unknown, pointer: string): Parameter {
  const { value: definition, pointer: at } = object(resolve(document, value, pointer), "a parameter");
  const name = text(definition.name);
  const location = text(definition.in);
  if (name === undefined) throw new DocumentError(below(at, "name"), "is required");
  if (location === undefined) throw new DocumentError(below(at, "in"), "is required");
  return { name, in: location, definition, pointer: at };
}

function identity({ in: location, name }: Parameter): string {
  return `${location} ${location === "header" ? name.toLowerCase() : name}`;
}

function checkPathParameters(
  path: string,
  parameters: readonly Parameter[],
  pointer: string,
  { report }: ProblemList,
): void {
  const placeholders = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
  const declared = new Set(parameters.filter((entry) => entry.in === "path").map((entry) => entry.name));
  for (const name of placeholders) {
    if (!declared.has(name as string)) report(pointer, `declares no path parameter for {${name}}`);
  }
  for (const name of declared) {
    if (!placeholders.has(name)) report(pointer, `the path has no {${name}} for its path parameter`);
  }
}

function object(target: Target, what: string): { readonly value: JsonObject; readonly pointer: string } {
  if (!isJsonObject(target.value)) throw new DocumentError(target.pointer, `${what} is an object`);
  return { value: target.value, pointer: target.pointer };
}
