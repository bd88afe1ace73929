import { isJsonObject, type JsonObject } from "../../json.ts";
import { below, DocumentError, type ProblemList } from "./document-error.ts";
import { text } from "./plain.ts";
import { resolve, type Target } from "./reference.ts";

/** A Parameter Object, resolved. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly definition: JsonObject;
  readonly pointer: string;
}

/** What is wrong with one is reported; of equal ones the first stays. Throws a `DocumentError` for anything but a list. */
export function listParameters(
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
export function withShared(own: readonly Parameter[], shared: readonly Parameter[]): readonly Parameter[] {
  const repeated = new Set(own.map(identity));
  return [...own, ...shared.filter((parameter) => !repeated.has(identity(parameter)))];
}

/** Whether each placeholder of the path has its parameter, and each path parameter its placeholder. */
export function pathParameterProblems(path: string, parameters: readonly Parameter[]): readonly string[] {
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
