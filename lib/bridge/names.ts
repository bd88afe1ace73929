import { hex, sha256 } from "../encoding.ts";

/** Length of the hash that marks a changed name. */
const HASH_LENGTH = 8;

/**
 * The name that agents see. A name of `[A-Za-z0-9_-]{1,64}` stays as it is; any other, and one that could be mistaken for
 * a changed one, is cut and gets a hash of the whole original. So no unchanged name equals a changed one, and two
 * changed ones are equal only if their hashes are.
 */
export async function exposedName(name: string): Promise<string> {
  return shorten(name, /[^A-Za-z0-9_-]/g, 64);
}

/** The name of an argument: clients refuse properties outside `[A-Za-z0-9_.-]{1,64}`. */
export async function argumentName(name: string): Promise<string> {
  return shorten(name, /[^A-Za-z0-9_.-]/g, 64);
}

async function shorten(name: string, foreign: RegExp, limit: number): Promise<string> {
  const plain = name.replaceAll(foreign, "_");
  if (plain === name && name.length <= limit && name !== "" && !/_[0-9a-f]{8}$/.test(name)) return name;
  const hash = hex(sha256(name)).slice(0, HASH_LENGTH);
  return `${plain.slice(0, limit - HASH_LENGTH - 1)}_${hash}`;
}
