import { sha256 } from "#sha256";
import { hex } from "../kernel/encoding.ts";

/** Length of the hash that marks a changed name. */
const HASH_LENGTH = 8;
/** Length of a name that every client takes. */
const LIMIT = 64;

/**
 * The name that agents see. A name of `[A-Za-z0-9_-]{1,64}` stays as it is; any other, and one that could be mistaken for
 * a changed one, is cut and gets a hash of the whole original. So no unchanged name equals a changed one, and two
 * changed ones are equal only if their hashes are.
 *
 * @param own a hash of 8 digits that no other tool of the document has: a name that ends in it and fits stays as it is
 * too, and is equal to a changed one only if its hash is; one that does not fit has the other hash in its place
 */
export async function exposedName(name: string, own?: string): Promise<string> {
  return shorten(name, /[^A-Za-z0-9_-]/g, own);
}

/**
 * The name of an argument: clients refuse properties outside `[A-Za-z0-9_.-]{1,64}`. An operator at its end becomes words, as
 * `DateCreated<` is `DateCreated_before`.
 *
 * @param all the names beside it, none of which that may be
 */
export async function argumentName(name: string, all: ReadonlySet<string> = new Set()): Promise<string> {
  const spoken = withoutOperator(name);
  return shorten(spoken === undefined || all.has(spoken) ? name : spoken, /[^A-Za-z0-9_.-]/g);
}

/** By what is compared: times, or anything else. */
const OPERATORS: Readonly<Record<string, readonly [times: string, others: string]>> = {
  "<": ["before", "less_than"],
  "<=": ["until", "at_most"],
  ">": ["after", "greater_than"],
  ">=": ["from", "at_least"],
  "!": ["not", "not"],
  "!=": ["not", "not"],
};

function withoutOperator(name: string): string | undefined {
  const [, base = "", operator = ""] = /^([A-Za-z0-9_.-]+)([<>!]=?)$/.exec(name) ?? [];
  const words = OPERATORS[operator];
  return words && `${base}_${words[/date|time/i.test(base) ? 0 : 1]}`;
}

async function shorten(name: string, foreign: RegExp, own?: string): Promise<string> {
  const isOwn = own !== undefined && name.endsWith(`_${own}`);
  const plain = name.replaceAll(foreign, "_");
  const fits = plain === name && name.length <= LIMIT && name !== "";
  if (fits && (isOwn || !/_[0-9a-f]{8}$/.test(name))) return name;
  const hash = hex(sha256(name)).slice(0, HASH_LENGTH);
  const base = isOwn ? plain.slice(0, -HASH_LENGTH - 1) : plain;
  return `${base.slice(0, LIMIT - HASH_LENGTH - 1)}_${hash}`;
}
