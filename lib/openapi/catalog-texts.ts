import { isJsonObject } from "../kernel/json.ts";
import type { Catalog, Definitions, JsonSchema } from "./catalog.ts";

/** Stands in a JSON text of a catalog for a value that stands in several; never the outermost value of a text. */
export interface PartReference {
  /** Place in `parts`. */
  readonly $part: number;
}

/** Reads the JSON texts of one catalog. Each part is parsed once, and is the same object wherever it stands. */
export function createPartReader(parts: readonly string[]): (text: string) => unknown {
  const known = new Map<number, unknown>();

  function read(text: string): unknown {
    return withParts(JSON.parse(text));
  }

  function withParts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolved);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
  }

  function resolved(value: unknown): unknown {
    return isPartReference(value) ? part(value.$part) : withParts(value);
  }

  function part(place: number): unknown {
    if (!known.has(place)) known.set(place, read(parts[place] as string));
    return known.get(place);
  }

  return read;
}

/** Characters of a value's JSON text from which on a reference to it is worth it. */
const LEAST_LENGTH = 60;

/**
 * Writes objects and arrays that details and definitions have in common once: the operations of an API repeat
 * parameters and answers hundreds of times, farther apart than compression looks back. `createPartReader` reads the result.
 */
export function shareParts(catalog: Omit<Catalog, "parts">): Catalog {
  const { tools, definitions } = catalog;
  const details = tools.map((tool) => JSON.parse(tool.details) as unknown);
  const [input, output] = [parsed(definitions.input), parsed(definitions.output)];
  const isShared = findShared([...details, ...input.values(), ...output.values()]);
  const { write, parts } = createWriter(isShared);
  return {
    ...catalog,
    tools: tools.map((tool, index) => ({ ...tool, details: write(details[index]) })),
    definitions: { input: written(input, write), output: written(output, write) },
    parts,
  };
}

function parsed(definitions: Definitions): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(definitions).map(([name, text]) => [name, JSON.parse(text)]));
}

function written(definitions: ReadonlyMap<string, unknown>, write: (value: unknown) => string): Definitions {
  return Object.fromEntries([...definitions].map(([name, value]) => [name, write(value)]));
}

/** The names of a tool's arguments, without reading what they are like. */
export function argumentNames(details: string, parts: readonly string[]): readonly string[] {
  const read = (value: unknown): unknown =>
    isPartReference(value) ? read(JSON.parse(parts[value.$part] ?? "null")) : value;
  const { inputSchema } = JSON.parse(details) as { readonly inputSchema?: unknown };
  const schema = read(inputSchema);
  const properties = read(isJsonObject(schema) ? schema.properties : undefined);
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/** Also true of a document's own value of this form: what writes texts makes a part of it, and a part is taken as it is. */
function isPartReference(value: unknown): value is PartReference {
  return isJsonObject(value) && typeof value.$part === "number" && Object.keys(value).length === 1;
}

/** Tells which values stand in more than one place. What is inside of one that does counts once. */
function findShared(values: readonly unknown[]): (value: object, text: string) => boolean {
  const places = new Map<string, number>();
  const count = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const text = JSON.stringify(value);
    const found = (places.get(text) ?? 0) + 1;
    places.set(text, found);
    if (found === 1 || text.length < LEAST_LENGTH) Object.values(value).forEach(count);
  };
  for (const value of values) Object.values(value as object).forEach(count);
  return (value, text) => isPartReference(value) || (text.length >= LEAST_LENGTH && (places.get(text) ?? 0) > 1);
}

function createWriter(isShared: (value: object, text: string) => boolean) {
  const places = new Map<string, number>();
  const parts: string[] = [];

  function write(value: unknown): string {
    return JSON.stringify(inside(value));
  }

  function inside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(shortened);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
  }

  function shortened(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value;
    const text = JSON.stringify(value);
    return isShared(value, text) ? { $part: placeOf(value, text) } : inside(value);
  }

  function placeOf(value: object, text: string): number {
    const known = places.get(text);
    if (known !== undefined) return known;
    const place = parts.push("") - 1;
    places.set(text, place);
    parts[place] = write(value);
    return place;
  }

  return { write, parts };
}

/** The names of the definitions that a schema leads to, those that they lead to included. */
export function namesReachable(schema: unknown, definition: (name: string) => unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const open: unknown[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const name = definitionName((node as JsonSchema).$ref);
    const target = name === undefined || found.has(name) ? undefined : definition(name);
    if (name !== undefined && target !== undefined) {
      found.add(name);
      open.push(target);
    }
    open.push(...Object.values(node).filter((value) => typeof value === "object" && value !== null));
  }
  return found;
}

/** The name in a reference to a definition of the same schema; undefined for anything else. */
export function definitionName(reference: unknown): string | undefined {
  return typeof reference === "string" && reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : undefined;
}

const PREFIX = "#/$defs/";
