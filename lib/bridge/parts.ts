import { isJsonObject } from "../json.ts";

/** Stands in a JSON text of a catalog for a value that stands in several; never the outermost value of a text. */
export interface PartReference {
  /** Place in `parts`. */
  readonly $part: number;
}

/** Also true of a document's own value of this form: what writes texts makes a part of it, and a part is taken as it is. */
export function isPartReference(value: unknown): value is PartReference {
  return isJsonObject(value) && typeof value.$part === "number" && Object.keys(value).length === 1;
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
