import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  FlattenedSign,
  flattenedVerify,
  importJWK,
  importSPKI,
} from "jose";
import * as z from "zod";
import type { ConfigurationArtifact } from "../config/artifact.ts";
import { artifactProblem } from "../config/artifact-check.ts";
import { fromBase64url, hex, utf8 } from "../kernel/encoding.ts";
import { isJsonObject } from "../kernel/json.ts";

/**
 * A configuration that was published: what its publisher says of it, and the compiled configuration. Times are RFC 3339 texts. In the
 * bundle, these are the members of the payload, and no others.
 */
export interface Publication {
  /** For which deployment it is: a bundle of `staging` is worth nothing in `production`. */
  readonly deployment: string;
  /** `oidcProvider.region` of its instances; absent: they have none. */
  readonly region?: string | undefined;
  /** Grows with each publication, from 1 on. */
  readonly revision: number;
  /** The earlier revision whose contents these are. */
  readonly rollbackOf?: number | undefined;
  readonly publishedAt: string;
  readonly publishedBy: string;
  readonly reason?: string | undefined;
  /** It is not taken over later; what was taken over before stays in use. */
  readonly expiresAt?: string | undefined;
  /** The oldest release of the product that may take it over. */
  readonly minimumVersion?: string | undefined;
  /** SHA-256 of `artifact`, in hexadecimal digits. */
  readonly digest: string;
  /** The JSON text of a `ConfigurationArtifact`. */
  readonly artifact: string;
}

/** A publication that was opened, with the bytes that it was opened from. */
export interface OpenedBundle {
  readonly publication: Publication;
  readonly artifact: ConfigurationArtifact;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Why bytes are no bundle that may be believed; the message goes on "The bundle …". */
export class BundleError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "BundleError";
  }
}

/** A private key, as the runtime has it. */
export type SigningKey = Parameters<FlattenedSign["sign"]>[0];

/** Public keys by their `kid`: the RFC 7638 thumbprint. */
export type PublisherKeys = ReadonlyMap<string, CryptoKey>;

/** Bytes of a bundle, also when it is unpacked. */
export const BUNDLE_BYTES = 20_000_000;
/** The same where an instance has 128 MB: opening takes up to twelve times as much. */
export const EDGE_BUNDLE_BYTES = 5_000_000;

const TYPE = "countersign-bundle+jws";
const BASE64URL = /^[\w-]+$/;
const DATE_TIME = z.iso.datetime({ offset: true });

const PUBLICATION = z.strictObject({
  deployment: z.string().min(1).max(100),
  region: z.string().optional(),
  revision: z.int().min(1),
  rollbackOf: z.int().min(1).optional(),
  publishedAt: DATE_TIME,
  publishedBy: z.string().min(1).max(200),
  reason: z.string().max(1_000).optional(),
  expiresAt: DATE_TIME.optional(),
  minimumVersion: z
    .string()
    .regex(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/)
    .optional(),
  digest: z.string(),
  artifact: z.string(),
});

/** What was published of it, with the digest that belongs to the text. */
export async function publicationOf(
  artifact: ConfigurationArtifact,
  about: Omit<Publication, "artifact" | "digest">,
): Promise<Publication> {
  const text = JSON.stringify({ ...artifact, published: undefined });
  return { ...about, digest: await digestOf(text), artifact: text };
}

/** SHA-256 in hexadecimal digits, by the platform, which does not hold up the thread: artifacts may have megabytes. */
export async function digestOf(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text))));
}

/**
 * The bundle as it is published: a JWS in the flattened JSON serialization (RFC 7515 §7.2.2), signed with ES256.
 *
 * @param key P-256; its thumbprint becomes the `kid`
 * @throws {BundleError} what the publication lacks
 */
export async function signBundle(publication: Publication, key: SigningKey, kid: string): Promise<string> {
  const payload = checked(publication);
  const jws = await new FlattenedSign(utf8(JSON.stringify(payload)))
    .setProtectedHeader({ alg: "ES256", kid, typ: TYPE })
    .sign(key);
  return JSON.stringify({ protected: jws.protected, payload: jws.payload, signature: jws.signature });
}

/**
 * The publication in a bundle, plain or as gzip, when a known key has signed it. Whether an instance may take it over is another
 * question (`objectionTo`).
 *
 * @throws {BundleError} what is wrong with it
 */
export async function openBundle(
  bytes: Uint8Array<ArrayBuffer>,
  keys: PublisherKeys,
  limit = BUNDLE_BYTES,
): Promise<Publication> {
  const text = await unpacked(bytes, limit);
  // Only what a known key may have signed is worth the memory of reading the whole.
  const header = protectedHeader(PROTECTED.exec(text)?.[1] ?? throwNoJws());
  const key = keys.get(header.kid);
  if (key === undefined) {
    throw new BundleError(
      `is signed with the key ${header.kid}, which is none of this instance's; it knows ${[...keys.keys()].join(", ")}`,
    );
  }
  const { payload } = await flattenedVerify(flattened(text), key, { algorithms: ["ES256"] }).catch((cause: unknown) => {
    throw new BundleError("has a signature that does not fit it", { cause });
  });
  const publication = checked(parsedJson(new TextDecoder().decode(payload)));
  if ((await digestOf(publication.artifact)) !== publication.digest)
    throw new BundleError("has another digest than its artifact");
  return publication;
}

function checked(payload: unknown): Publication {
  const parsed = PUBLICATION.safeParse(payload);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  throw new BundleError(`has a payload that this release does not take: ${path.join(".") || "the whole"}: ${message}`);
}

/**
 * The compiled configuration of a publication.
 * @throws {BundleError} it has none that this release reads, or one that no compiler has made
 */
export function artifactOf({
  artifact,
  revision,
  digest,
}: Pick<Publication, "artifact" | "revision" | "digest">): ConfigurationArtifact {
  const value = parsedJson(artifact);
  const isOne =
    isJsonObject(value) &&
    value.format === 1 &&
    typeof value.source === "string" &&
    Array.isArray(value.placeholders) &&
    isJsonObject(value.positions) &&
    isJsonObject(value.catalogs) &&
    (value.policies === undefined || isJsonObject(value.policies));
  if (!isOne) throw new BundleError("holds no compiled configuration of format 1; compile and publish it again");
  const problem = artifactProblem(value);
  if (problem !== undefined)
    throw new BundleError(
      `holds what compiling a configuration does not give: ${problem}; compile and publish it again`,
    );
  return { ...(value as unknown as ConfigurationArtifact), published: { revision, digest } };
}

/**
 * Reads the public keys of publishers: PEM (`BEGIN PUBLIC KEY`, one after the other), a JWK or a JWK Set.
 * @throws {BundleError} which goes on "SVC_CONFIG_KEYS …" or the name of a file
 */
export async function readPublisherKeys(text: string): Promise<PublisherKeys> {
  const keys = text.trim().startsWith("{") ? await keysOfJson(text) : await keysOfPem(text);
  if (keys.length === 0) throw new BundleError("holds no public key; accepted: PEM or a JWK Set with P-256 keys");
  const named = keys.map(async (key) => [await calculateJwkThumbprint(await exportJWK(key)), key] as const);
  return new Map(await Promise.all(named));
}

async function keysOfPem(text: string): Promise<readonly CryptoKey[]> {
  if (/BEGIN [A-Z ]*PRIVATE KEY/.test(text))
    throw new BundleError("holds a private key; instances take the public one");
  const blocks = text.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return Promise.all(blocks.map((block) => importSPKI(block, "ES256", { extractable: true }).catch(noKey)));
}

async function keysOfJson(text: string): Promise<readonly CryptoKey[]> {
  const value = parsedJson(text);
  const entries: readonly unknown[] = isJsonObject(value) && Array.isArray(value.keys) ? value.keys : [value];
  const imported = entries.map(async (entry) => {
    if (isJsonObject(entry) && entry.d !== undefined)
      throw new BundleError("holds a private key; instances take the public one");
    if (!isJsonObject(entry) || entry.kty !== "EC" || entry.crv !== "P-256") return noKey(undefined);
    return (await importJWK(entry, "ES256", { extractable: true }).catch(noKey)) as CryptoKey;
  });
  return Promise.all(imported);
}

function noKey(cause: unknown): never {
  throw new BundleError("holds a key that is no public P-256 key", { cause });
}

interface FlattenedJws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

const PROTECTED = /"protected"\s*:\s*"([\w-]{1,4096})"/;

/** Nothing else stands beside what is signed, and nothing twice: what is read is what was verified. */
function flattened(text: string): FlattenedJws {
  const value = parsedJson(text);
  const isOne =
    isJsonObject(value) &&
    Object.keys(value).sort().join() === "payload,protected,signature" &&
    Object.values(value).every((part) => typeof part === "string" && BASE64URL.test(part)) &&
    lengthOf(value as unknown as FlattenedJws) === text.length - spacesIn(text);
  return isOne ? (value as unknown as FlattenedJws) : throwNoJws();
}

function throwNoJws(): never {
  throw new BundleError("is no JWS with the members protected, payload and signature, each once (RFC 7515 §7.2.2)");
}

/** Of the JSON text without spaces: nothing in these values is escaped. */
function lengthOf(jws: FlattenedJws): number {
  const empty = { protected: "", payload: "", signature: "" };
  return JSON.stringify(empty).length + jws.protected.length + jws.payload.length + jws.signature.length;
}

/** White space of JSON (RFC 8259 §2). */
function spacesIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) count++;
  }
  return count;
}

function protectedHeader(part: string): { readonly kid: string } {
  const bytes = fromBase64url(part);
  const header = bytes === undefined ? undefined : parsedJson(new TextDecoder().decode(bytes));
  if (!isJsonObject(header)) throw new BundleError("has no protected header");
  const { alg, kid, typ, ...others } = header;
  if (alg !== "ES256") throw new BundleError(`is signed with ${JSON.stringify(alg)?.slice(0, 50)}; accepted: ES256`);
  if (typ !== TYPE) throw new BundleError(`has another typ than ${TYPE}`);
  const [extra] = Object.keys(others);
  if (extra !== undefined)
    throw new BundleError(`has ${JSON.stringify(extra.slice(0, 50))} in its header; accepted: alg, kid, typ`);
  if (typeof kid !== "string") throw new BundleError("names no key in kid");
  return { kid: kid.slice(0, 100) };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BundleError("is no JSON", { cause });
  }
}

/** RFC 1952 begins with these; JSON does not. */
function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>, limit: number): Promise<string> {
  if (bytes.length > limit) throw tooLarge(limit);
  if (!isGzip(bytes)) return new TextDecoder().decode(bytes);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.length;
      if (length > limit) throw tooLarge(limit);
      text += decoder.decode(next.value, { stream: true });
    }
  } catch (cause) {
    if (cause instanceof BundleError) throw cause;
    throw new BundleError("is damaged gzip", { cause });
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  return text + decoder.decode();
}

function tooLarge(limit: number): BundleError {
  return new BundleError(`is larger than ${limit} bytes`);
}
