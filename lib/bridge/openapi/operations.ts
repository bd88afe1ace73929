import { below, DocumentError } from "./document-error.ts";
import { isObject, type PlainObject, text } from "./plain.ts";
import { resolve, type Target } from "./reference.ts";

/** An Operation Object with what it inherits from its Path Item. */
export interface Operation {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
  readonly operationId: string | undefined;
  readonly definition: PlainObject;
  /** The operation's own first; a Path Item's parameter that the operation repeats is left out (OpenAPI, Path Item Object). */
  readonly parameters: readonly Parameter[];
}

/** A Parameter Object, resolved. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly definition: PlainObject;
  readonly pointer: string;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Every operation in the order of the document. Throws a `DocumentError`. */
export function listOperations(document: PlainObject): readonly Operation[] {
  const { paths = {} } = document;
  if (!isObject(paths)) throw new DocumentError("/paths", "must be an object");
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith("x-"))
    .flatMap(([path, item]) => pathOperations(document, path, item));
}

function pathOperations(document: PlainObject, path: string, item: unknown): Operation[] {
  const pointer = below("/paths", path);
  if (!path.startsWith("/")) throw new DocumentError(pointer, "a path starts with a slash");
  const target = object(resolve(document, item, pointer), "a Path Item");
  const shared = listParameters(document, target.value.parameters, below(target.pointer, "parameters"));
  return METHODS.filter((method) => target.value[method] !== undefined).map((method) =>
    operation(document, method, path, shared, target),
  );
}

function operation(
  document: PlainObject,
  method: string,
  path: string,
  shared: readonly Parameter[],
  item: { readonly value: PlainObject; readonly pointer: string },
): Operation {
  const pointer = below(item.pointer, method);
  const definition = item.value[method];
  if (!isObject(definition)) throw new DocumentError(pointer, "an operation is an object");
  const own = listParameters(document, definition.parameters, below(pointer, "parameters"));
  const repeated = new Set(own.map(identity));
  const parameters = [...own, ...shared.filter((parameter) => !repeated.has(identity(parameter)))];
  checkPathParameters(path, parameters, pointer);
  return {
    method: method.toUpperCase(),
    path,
    pointer,
    operationId: text(definition.operationId),
    definition,
    parameters,
  };
}

function listParameters(document: PlainObject, value: unknown, pointer: string): Parameter[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new DocumentError(pointer, "must be an array");
  const parameters = value.map((entry, index) => parameter(document, entry, below(pointer, String(index))));
  const seen = new Set<string>();
  for (const one of parameters) {
    if (seen.has(identity(one))) throw new DocumentError(one.pointer, `"${one.name}" in ${one.in} is declared twice`);
    seen.add(identity(one));
  }
  return parameters;
}

function parameter(document: PlainObject, value: unknown, pointer: string): Parameter {
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

function checkPathParameters(path: string, parameters: readonly Parameter[], pointer: string): void {
  const placeholders = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
  const declared = new Set(parameters.filter((entry) => entry.in === "path").map((entry) => entry.name));
  for (const name of placeholders) {
    if (!declared.has(name as string)) throw new DocumentError(pointer, `declares no path parameter for {${name}}`);
  }
  for (const name of declared) {
    if (!placeholders.has(name)) throw new DocumentError(pointer, `the path has no {${name}} for its path parameter`);
  }
}

function object(target: Target, what: string): { readonly value: PlainObject; readonly pointer: string } {
  if (!isObject(target.value)) throw new DocumentError(target.pointer, `${what} is an object`);
  return { value: target.value, pointer: target.pointer };
}
