import { fromBase64url } from "../../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { ProblemError } from "../../kernel/problem.ts";
import { fromPem } from "./pem.ts";

/**
 * Reads a P-256 public key from PEM (SPKI) or a JWK, given as an object or as JSON text, and reduces it to its public members.
 * @throws ProblemError `invalid_field` at `/publicKey`; its text never repeats the input
 */
export async function parsePublicKey(input: string | object): Promise<PublicKeyJwk> {
  const jwk = typeof input === "string" ? await readText(input) : input;
  if (!isJsonObject(jwk)) throw refused(ACCEPTED);
  return verified(publicMembers(jwk));
}

async function readText(text: string): Promise<unknown> {
  if (text.length > MAX_LENGTH) throw refused(`must have at most ${MAX_LENGTH} characters`);
  if (text.trimStart().startsWith("{")) return readJson(text);
  if (/PRIVATE KEY-----/.test(text)) throw refused(PRIVATE);
  const pem = fromPem(text);
  if (pem?.label !== "PUBLIC KEY") throw refused(ACCEPTED);
  return readSpki(pem.der);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refused(ACCEPTED, cause);
  }
}

async function readSpki(der: Uint8Array<ArrayBuffer>): Promise<object> {
  try {
    const key = await crypto.subtle.importKey("spki", der, ES256, true, ["verify"]);
    // Reduced here already: workerd's export has every member a JWK can have, most of them undefined.
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", key);
    return { kty, crv, x, y };
  } catch (cause) {
    throw refused(ACCEPTED, cause);
  }
}

function publicMembers(jwk: JsonObject): PublicKeyJwk {
  if (PRIVATE_MEMBERS.some((member) => member in jwk)) throw refused(PRIVATE);
  const { kty, crv, x, y, alg, use, key_ops } = jwk;
  if (kty !== "EC" || crv !== "P-256") throw refused(ACCEPTED);
  if (alg !== undefined && alg !== "ES256") throw refused("must be a key for ES256");
  if (use !== undefined && use !== "sig") throw refused("must be a key for signatures");
  if (key_ops !== undefined && !isForVerifying(key_ops)) throw refused('must have "verify" among its key_ops, or none');
  if (!isCoordinate(x) || !isCoordinate(y)) throw refused("must have x and y of 32 bytes each, in base64url");
  return { kty, crv, x, y };
}

/** RFC 7517 §4.3. */
function isForVerifying(operations: unknown): boolean {
  return Array.isArray(operations) && operations.includes("verify");
}

/** RFC 7518 §6.2.1.2: full length, leading zeros included. */
function isCoordinate(value: unknown): value is string {
  return typeof value === "string" && fromBase64url(value)?.length === 32;
}

/** Importing checks that the point lies on the curve. */
async function verified(publicKey: PublicKeyJwk): Promise<PublicKeyJwk> {
  try {
    await crypto.subtle.importKey("jwk", { ...publicKey }, ES256, false, ["verify"]);
  } catch (cause) {
    throw refused("must be a point on the curve P-256", cause);
  }
  return publicKey;
}

function refused(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("invalid_field", "The public key is not acceptable.", {
    fields: [{ pointer: "/publicKey", detail }],
    cause,
  });
}

const ES256 = { name: "ECDSA", namedCurve: "P-256" };
const MAX_LENGTH = 4096;
const ACCEPTED = "must be a P-256 public key for ES256: PEM (BEGIN PUBLIC KEY) or a JWK";
const PRIVATE = "is a private key; keep it and register its public half only";
/** Of any key type (RFC 7518 §6.2.2, §6.3.2, §6.4.1). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** An EC P-256 public key as a JWK (RFC 7517, RFC 7518 §6.2). */
export interface PublicKeyJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}
