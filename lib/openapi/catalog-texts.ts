import { isJsonObject } from "../kernel/json.ts";
import type { Catalog, CatalogTool, Definitions, JsonSchema, ToolDetails } from "./catalog.ts";
import type { EqualValues } from "./documents/equal-values.ts";

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

/** Schemas by the name after `#/$defs/`. */
export type DefinedSchemas = ReadonlyMap<string, unknown>;

/** A catalog whose texts are not written yet. */
export type UnwrittenCatalog = Omit<Catalog, "tools" | "definitions" | "parts"> & {
  readonly tools: readonly UnwrittenTool[];
  readonly definitions: { readonly input: DefinedSchemas; readonly output: DefinedSchemas };
};

/** A tool with the details that are to be written. */
export type UnwrittenTool = Omit<CatalogTool, "details"> & { readonly details: ToolDetails };

/**
 * Writes the texts of a catalog, and objects and arrays that details and definitions have in common once: the operations of an API repeat
 * parameters and answers hundreds of times, farther apart than compression looks back. `createPartReader` reads the result.
 */
export function writeCatalog(catalog: UnwrittenCatalog, equal: EqualValues): Catalog {
  const tools = catalog.tools.map((tool) => ({ ...tool, details: equal.one(tool.details) }));
  const [input, output] = [oneOfEach(catalog.definitions.input, equal), oneOfEach(catalog.definitions.output, equal)];
  const isShared = findShared([...tools.map(({ details }) => details), ...input.values(), ...output.values()], equal);
  const { write, parts } = createWriter(isShared);
  return {
    ...catalog,
    tools: tools.map((tool) => ({ ...tool, details: write(tool.details) })),
    definitions: { input: written(input, write), output: written(output, write) },
    parts,
  };
}

function oneOfEach(definitions: DefinedSchemas, equal: EqualValues): DefinedSchemas {
  return new Map([...definitions].map(([name, schema]) => [name, equal.one(schema)]));
}

function written(definitions: DefinedSchemas, write: (value: unknown) => string): Definitions {
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
export function isPartReference(value: unknown): value is PartReference {
  return isJsonObject(value) && typeof value.$part === "number" && Object.keys(value).length === 1;
}

/** Tells which values stand in more than one place. What is inside of one that does counts once. */
function findShared(values: readonly unknown[], equal: EqualValues): (value: object) => boolean {
  const places = new Uint32Array(equal.count());
  const numberOf = (value: object) => equal.numberOf(value) as number;
  const isLong = (value: object) => equal.lengthOf(value) >= LEAST_LENGTH;
  const count = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    const number = numberOf(value);
    const found = (places[number] as number) + 1;
    places[number] = found;
    if (found === 1 || !isLong(value)) Object.values(value).forEach(count);
  };
  for (const value of values) Object.values(value as object).forEach(count);
  return (value) => isPartReference(value) || (isLong(value) && (places[numberOf(value)] as number) > 1);
}

function createWriter(isShared: (value: object) => boolean) {
  const places = new Map<object, number>();
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
    return isShared(value) ? { $part: placeOf(value) } : inside(value);
  }

  function placeOf(value: object): number {
    const known = places.get(value);
    if (known !== undefined) return known;
    const place = parts.push("") - 1;
    places.set(value, place);
    parts[place] = write(value);
    return place;
  }

  return { write, parts };
}

/** The names of the definitions that a schema leads to, those that they lead to included. */
export function namesReachable(schema: unknown, definition: (name: string) => unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<object>();
  const open: unknown[] = [schema];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    const name = definitionName((node as JsonSchema).$ref);
    const target = name === undefined || found.has(name) ? undefined : definition(name);
    if (name !== undefined && target !== undefined) {
      found.add(name);
      open.push(target);
    }
    for (const value of Object.values(node)) if (typeof value === "object" && value !== null) open.push(value);
  }
  return found;
}

/** The name in a reference to a definition of the same schema; undefined for anything else. */
export function definitionName(reference: unknown): string | undefined {
  return typeof reference === "string" && reference.startsWith(PREFIX) ? reference.slice(PREFIX.length) : undefined;
}

const PREFIX = "#/$defs/";
