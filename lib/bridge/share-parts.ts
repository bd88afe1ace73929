import { isJsonObject } from "../json.ts";
import type { Catalog, Definitions } from "./catalog.ts";
import { isPartReference } from "./parts.ts";

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
