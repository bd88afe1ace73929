import { isDeepStrictEqual } from "node:util";

export type Schema = Readonly<Record<string, unknown>>;

/** No value can satisfy the schema, or none was found. */
export class Unsatisfiable extends Error {
  constructor(what: string) {
    super(what);
    this.name = "Unsatisfiable";
  }
}

/** One schema for what must satisfy both, as far as drawing needs it; who draws checks the value against the originals. */
export function merge(a: Schema, b: Schema): Schema {
  const merged: Record<string, unknown> = { ...a };
  for (const [keyword, value] of Object.entries(b)) {
    merged[keyword] = Object.hasOwn(a, keyword) ? combine(keyword, a[keyword], value) : value;
  }
  if (a.properties !== undefined || b.properties !== undefined) merged.properties = properties(a, b);
  return merged;
}

function combine(keyword: string, a: unknown, b: unknown): unknown {
  switch (keyword) {
    case "type":
      return types(listOf(a), listOf(b));
    case "enum":
      return nonEmpty(
        (a as unknown[]).filter((one) => (b as unknown[]).some((other) => isDeepStrictEqual(one, other))),
      );
    case "const":
      if (!isDeepStrictEqual(a, b)) throw new Unsatisfiable("two constants");
      return a;
    case "required":
      return [...new Set([...(a as string[]), ...(b as string[])])];
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return Math.max(a as number, b as number);
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return Math.min(a as number, b as number);
    case "items":
      return { allOf: [a, b] };
    case "additionalProperties":
      return a === false || b === false ? false : { allOf: [a, b] };
    default:
      return b;
  }
}

function types(a: readonly string[], b: readonly string[]): readonly string[] {
  const both = a.flatMap((type) => {
    if (b.includes(type)) return [type];
    if (type === "number" && b.includes("integer")) return ["integer"];
    return type === "integer" && b.includes("number") ? ["integer"] : [];
  });
  return nonEmpty(both);
}

function properties(a: Schema, b: Schema): Schema {
  const [ours, theirs] = [(a.properties ?? {}) as Schema, (b.properties ?? {}) as Schema];
  const merged: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const inBoth = Object.hasOwn(ours, name) && Object.hasOwn(theirs, name);
    const refused = Object.hasOwn(ours, name) ? b.additionalProperties === false : a.additionalProperties === false;
    if (inBoth) merged[name] = { allOf: [ours[name], theirs[name]] };
    else if (!refused) merged[name] = ours[name] ?? theirs[name];
  }
  return merged;
}

export function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [value as string];
}

function nonEmpty<T>(values: readonly T[]): readonly T[] {
  if (values.length === 0) throw new Unsatisfiable("nothing in common");
  return values;
}
