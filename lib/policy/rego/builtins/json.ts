import { type EvaluationError, spend, spendText } from "../budget.ts";
import { equal, isArray, jsonText, parseJson, RegoObject, RegoSet, typeName, type Value } from "../value.ts";
import { arrayAt, type Builtins, builtinError, elementsAt, objectAt, operandError, stringAt } from "./operands.ts";

/** OPA, "Encoding" and "Object": JSON as text, and parts of documents by paths. */
export const JSON_DOCUMENTS: Builtins = {
  "json.marshal": ([value]) => goEscaped(jsonText(sortedText(value as Value))),
  "json.marshal_with_options": (values) => {
    const { prefix = "", indent = "\t", pretty = false } = optionsOf(objectAt(values, 1));
    const value = sortedText(values[0] as Value);
    return pretty ? prefix + indented(value, `\n${prefix}`, indent) : goEscaped(jsonText(value));
  },
  "json.unmarshal": (values) => {
    const value = parseJson(stringAt(values, 0));
    if (value === undefined) throw builtinError("is no JSON");
    return value;
  },
  "json.is_valid": ([value]) => typeof value === "string" && parseJson(value) !== undefined,
  "json.filter": (values) => filtered(objectAt(values, 0), pathTree(values)) as Value,
  "json.remove": (values) => removed(objectAt(values, 0), pathTree(values)),
  "json.patch": (values) => {
    const operations = arrayAt(values, 1);
    let document: Value | undefined = values[0];
    for (const operation of operations) document = patched(document, operation);
    return document;
  },
};

/** Keys that are no strings become their text, and are in its order, as in Go's maps. */
function sortedText(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return value.map(sortedText);
  if (value instanceof RegoSet) return value.values().map(sortedText);
  if (!(value instanceof RegoObject)) return value;
  const result = new RegoObject();
  for (const [key, member] of value.entries())
    result.set(typeof key === "string" ? key : jsonText(key), sortedText(member));
  return result;
}

/** Go escapes what HTML would read. */
function goEscaped(json: string): string {
  spend(60 + json.length / 8);
  return json.replace(/[<>&\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function indented(value: Value, line: string, indent: string): string {
  spendText(line.length);
  const inner = line + indent;
  if (isArray(value) && value.length > 0)
    return `[${value.map((entry) => inner + indented(entry, inner, indent)).join(",")}${line}]`;
  if (!(value instanceof RegoObject) || value.size === 0) return goEscaped(jsonText(value));
  const members = value
    .entries()
    .map(([key, member]) => `${inner}${goEscaped(jsonText(key))}: ${indented(member, inner, indent)}`);
  return `{${members.join(",")}${line}}`;
}

function optionsOf(options: RegoObject): { prefix?: string; indent?: string; pretty?: boolean } {
  const found: { prefix?: string; indent?: string; pretty?: boolean } = {};
  let explicit: boolean | undefined;
  for (const [key, value] of options.entries()) {
    if (key === "pretty" && typeof value === "boolean") explicit = value;
    else if (key === "prefix" && typeof value === "string") found.prefix = value;
    else if (key === "indent" && typeof value === "string") found.indent = value;
    else throw operandError(`operand 2 has an unknown option or one of a wrong type: ${jsonText(key)}`);
  }
  return { ...found, pretty: explicit ?? (found.prefix !== undefined || found.indent !== undefined) };
}

type Path = readonly Value[];

/** Paths as one object; null is the end of one. */
function pathTree(values: readonly Value[]): RegoObject {
  const root = new RegoObject();
  for (const value of elementsAt(values, 1)) add(root, pathOf(value));
  return root;
}

function add(root: RegoObject, path: Path): void {
  let node = root;
  for (const [index, key] of path.entries()) {
    const next = node.get(key);
    // A shorter path is there.
    if (next === null) return;
    if (index === path.length - 1) node.set(key, null);
    else if (next instanceof RegoObject) node = next;
    else {
      const made = new RegoObject();
      node.set(key, made);
      node = made;
    }
  }
}

/** A JSON pointer, its leading slash may be missing (RFC 6901), or its segments. */
function pathOf(value: Value): Path {
  if (isArray(value)) return value;
  if (typeof value !== "string")
    throw operandError(`operand 2 must have string paths or arrays of path segments but has ${typeName(value)}`);
  if (value === "") return [];
  const segments = value.replace(/^\/+/, "").split("/");
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Array elements are named by their index as a text. */
function filtered(value: Value, tree: Value | undefined): Value | undefined {
  if (tree === null) return value;
  if (!(tree instanceof RegoObject)) return undefined;
  spend(1);
  if (value instanceof RegoObject) {
    const result = new RegoObject();
    for (const [key, below] of tree.entries()) {
      const member = value.get(key);
      const kept = member === undefined ? undefined : filtered(member, below);
      if (kept !== undefined) result.set(key, kept);
    }
    return result;
  }
  if (isArray(value))
    return value
      .map((entry, index) => (tree.has(String(index)) ? filtered(entry, tree.get(String(index))) : undefined))
      .filter((entry) => entry !== undefined);
  if (value instanceof RegoSet)
    return new RegoSet(
      value
        .values()
        .map((entry) => (tree.has(entry) ? filtered(entry, tree.get(entry)) : undefined))
        .filter((entry) => entry !== undefined),
    );
  return value;
}

function removed(value: Value, tree: Value | undefined): Value | undefined {
  if (tree === null) return undefined;
  if (!(tree instanceof RegoObject)) return value;
  spend(1);
  if (value instanceof RegoObject) {
    const result = new RegoObject();
    for (const [key, member] of value.entries()) {
      const kept = removed(member, tree.get(key));
      if (kept !== undefined) result.set(key, kept);
    }
    return result;
  }
  if (isArray(value))
    return value.map((entry, index) => removed(entry, tree.get(String(index)))).filter((entry) => entry !== undefined);
  if (value instanceof RegoSet)
    return new RegoSet(
      value
        .values()
        .map((entry) => removed(entry, tree.get(entry)))
        .filter((entry) => entry !== undefined),
    );
  return value;
}

/** One operation of a JSON patch (RFC 6902); sets are addressed by their elements, too. */
function patched(document: Value | undefined, operation: Value): Value | undefined {
  if (!(operation instanceof RegoObject)) throw builtinError("must be an array of JSON-Patch objects");
  const path = pathOf(required(operation, "path"));
  const kind = required(operation, "op");
  switch (kind) {
    case "add":
      return inserted(document, path, required(operation, "value"));
    case "remove":
      return without(document, path);
    case "replace":
      return inserted(without(document, path), path, required(operation, "value"));
    case "move":
    case "copy": {
      const from = pathOf(required(operation, "from"));
      const value = at(document, from);
      return inserted(kind === "move" ? without(document, from) : document, path, value);
    }
    case "test":
      if (equal(at(document, path), required(operation, "value"))) return document;
      throw builtinError("the value is not that of the patch");
    default:
      throw builtinError("unrecognized op");
  }
}

function required(operation: RegoObject, name: string): Value {
  const value = operation.get(name);
  if (value === undefined) throw builtinError(`missing required attribute '${name}'`);
  return value;
}

function missing(): EvaluationError {
  return builtinError("the path leads to nothing");
}

function at(document: Value | undefined, path: Path): Value {
  let value = document;
  for (const key of path) value = value === undefined ? undefined : childOf(value, key);
  if (value === undefined) throw missing();
  return value;
}

function childOf(value: Value, key: Value): Value | undefined {
  if (value instanceof RegoObject) return value.get(key);
  if (value instanceof RegoSet) return value.has(key) ? key : undefined;
  return isArray(value) ? value[indexOf(key, value.length - 1)] : undefined;
}

/** @param most the largest one that is accepted */
function indexOf(key: Value, most: number): number {
  const index =
    typeof key === "number" ? key : typeof key === "string" && /^(0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
  if (!Number.isSafeInteger(index) || index < 0 || index > most) throw missing();
  return index;
}

function inserted(document: Value | undefined, path: Path, value: Value): Value {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (document === undefined) throw missing();
  if (isArray(document)) {
    spend(document.length);
    if (rest.length > 0) {
      const index = indexOf(key, document.length - 1);
      return document.with(index, inserted(document[index], rest, value));
    }
    return document.toSpliced(key === "-" ? document.length : indexOf(key, document.length), 0, value);
  }
  if (document instanceof RegoObject) {
    const result = document.copy();
    result.set(key, rest.length === 0 ? value : inserted(document.get(key), rest, value));
    return result;
  }
  if (!(document instanceof RegoSet)) throw missing();
  if (rest.length === 0) {
    if (!equal(key, value)) throw builtinError("the element of a set is its own key");
    return new RegoSet([...document.values(), value]);
  }
  if (!document.has(key)) throw missing();
  return new RegoSet([...document.values().filter((entry) => !equal(entry, key)), inserted(key, rest, value)]);
}

/** Undefined: the whole is removed. */
function without(document: Value | undefined, path: Path): Value | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return undefined;
  if (document === undefined) throw missing();
  if (isArray(document)) {
    spend(document.length);
    const index = indexOf(key, document.length - 1);
    return rest.length === 0
      ? document.toSpliced(index, 1)
      : document.with(index, without(document[index], rest) as Value);
  }
  if (!(document instanceof RegoObject || document instanceof RegoSet) || childOf(document, key) === undefined)
    throw missing();
  if (document instanceof RegoSet) {
    const others = document.values().filter((entry) => !equal(entry, key));
    return new RegoSet(rest.length === 0 ? others : [...others, without(key, rest) as Value]);
  }
  const result = new RegoObject();
  for (const [name, member] of document.entries()) {
    const isIt = equal(name, key);
    if (!isIt || rest.length > 0) result.set(name, isIt ? (without(member, rest) as Value) : member);
  }
  return result;
}
