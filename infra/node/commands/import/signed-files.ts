import { errors, jwtVerify } from "jose";
import type { PublisherKeys } from "../../../../lib/deployment/bundle.ts";
import { hex } from "../../../../lib/kernel/encoding.ts";
import { isJsonObject } from "../../../../lib/kernel/json.ts";
import { ArchiveError } from "./tar.ts";

/** The file that says what the others are. */
export const SIGNATURE = "signature.jwt";
/** Members of an entry of the list, which is not specified publicly: one of each row. */
const NAMES = ["name", "fileName", "file"];
const HASHES = ["sha256", "hash", "digest"];
const ALGORITHMS = ["algorithm", "alg"];

/**
 * Makes sure that one of the keys has signed the list of exactly these files, with their hashes.
 * @throws ArchiveError
 */
export async function mustBeSigned(files: ReadonlyMap<string, Uint8Array>, keys: PublisherKeys): Promise<void> {
  const signature = files.get(SIGNATURE);
  if (signature === undefined) throw new ArchiveError(`has no ${SIGNATURE}`);
  const listed = hashesIn(await claimsOf(new TextDecoder().decode(signature).trim(), keys));
  for (const name of files.keys()) {
    if (name !== SIGNATURE && !listed.has(name)) {
      throw new ArchiveError(`has ${JSON.stringify(name)}, which its signature does not list`);
    }
  }
  for (const [name, expected] of listed) {
    const content = files.get(name);
    if (content === undefined) throw new ArchiveError(`lacks ${JSON.stringify(name)}, which its signature lists`);
    const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(content))));
    if (digest !== expected) throw new ArchiveError(`has another ${JSON.stringify(name)} than was signed`);
  }
}

async function claimsOf(token: string, keys: PublisherKeys): Promise<unknown> {
  for (const key of keys.values()) {
    try {
      return (await jwtVerify(token, key, { algorithms: ["ES256"] })).payload;
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEAlgNotAllowed) throw new ArchiveError("is not signed with ES256");
      if (error instanceof errors.JOSEError)
        throw new ArchiveError(`has a ${SIGNATURE} that is not accepted: ${error.code}`);
      throw error;
    }
  }
  throw new ArchiveError("is not signed by this key");
}

/** SHA-256 in hexadecimal, lower case, by the name of the file. */
function hashesIn(claims: unknown): ReadonlyMap<string, string> {
  const list = isJsonObject(claims) ? claims.files : undefined;
  if (!Array.isArray(list)) {
    throw new ArchiveError("has a signature of another form; accepted: the claim files, a list of names and hashes");
  }
  const hashes = new Map<string, string>();
  for (const entry of list as readonly unknown[]) {
    const name = oneOf(entry, NAMES);
    const [key, hash] = [oneKeyOf(entry, HASHES), oneOf(entry, HASHES)];
    const algorithm = key === "sha256" && oneKeyOf(entry, ALGORITHMS) === undefined ? key : oneOf(entry, ALGORITHMS);
    if (name === undefined || hash === undefined || !/^[0-9a-f]{64}$/i.test(hash)) {
      throw new ArchiveError("lists a file without its name or without a SHA-256 in hexadecimal");
    }
    if (algorithm === undefined || !/^sha-?256$/i.test(algorithm)) {
      throw new ArchiveError(`lists ${JSON.stringify(name)} with another algorithm than SHA-256`);
    }
    const plain = name.replace(/^\.\//, "");
    if (plain === SIGNATURE || hashes.has(plain)) {
      throw new ArchiveError(`lists ${JSON.stringify(name)}, which it cannot, or lists it twice`);
    }
    hashes.set(plain, hash.toLowerCase());
  }
  return hashes;
}

function oneOf(entry: unknown, keys: readonly string[]): string | undefined {
  const key = oneKeyOf(entry, keys);
  const value = key !== undefined && isJsonObject(entry) ? entry[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Undefined also where several are there: they could say different things. */
function oneKeyOf(entry: unknown, keys: readonly string[]): string | undefined {
  const [key, ...others] = isJsonObject(entry) ? keys.filter((name) => Object.hasOwn(entry, name)) : [];
  return others.length === 0 ? key : undefined;
}
