import { base64url, fromBase64url } from "../../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** A key that a policy names: of a certificate, of a PEM block, or of a JWK (RFC 7517). */
export interface VerificationKey {
  /** Names it among all keys of all policies. */
  readonly id: string;
  /** As the JWK has them. */
  readonly alg?: string;
  readonly kid?: string;
  readonly material:
    | { readonly spki: Uint8Array<ArrayBuffer> }
    | { readonly jwk: JsonObject }
    | { readonly secret: Uint8Array };
}

/** A signature that only WebCrypto can check, which takes its time. */
export interface SignatureCheck {
  readonly algorithm: string;
  readonly key: VerificationKey;
  /** Header and payload as they were signed (RFC 7515 §5.2). */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Ends an evaluation that needs a check which was not made: it begins anew with what came of it. `left` are the steps that it may still take. */
export class PendingSignature extends Error {
  readonly check: SignatureCheck;
  readonly left: number;

  constructor(check: SignatureCheck, left: number) {
    super("a signature has to be checked first");
    this.name = "PendingSignature";
    this.check = check;
    this.left = left;
  }
}

/** Names a check among those of one evaluation. */
export function checkName({ algorithm, key, signed, signature }: SignatureCheck): string {
  return [algorithm, key.id, signed, base64url(signature)].join("\n");
}

/** What WebCrypto is told of an algorithm, to import a key and to check a signature. */
interface Parameters {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
  readonly saltLength?: number;
}

/** The algorithms that sign with a private key (RFC 7518 §3.1, RFC 8037 §3.1). */
const ALGORITHMS: Readonly<Record<string, Parameters>> = {
  ...ofFamily("RS", (hash) => ({ name: "RSASSA-PKCS1-v1_5", hash })),
  ...ofFamily("PS", (hash, bits) => ({ name: "RSA-PSS", hash, saltLength: bits / 8 })),
  ...ofFamily("ES", (hash, bits) => ({ name: "ECDSA", hash, namedCurve: `P-${bits === 512 ? 521 : bits}` })),
  EdDSA: { name: "Ed25519" },
};

export const SIGNING_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

function ofFamily(letters: string, parameters: (hash: string, bits: number) => Parameters) {
  return Object.fromEntries([256, 384, 512].map((bits) => [`${letters}${bits}`, parameters(`SHA-${bits}`, bits)]));
}

/** Whether the key made the signature. A key of another kind did not. Never rejects. */
export async function verifies({ algorithm, key, signed, signature }: SignatureCheck): Promise<boolean> {
  const known = ALGORITHMS[algorithm];
  if (known === undefined || "secret" in key.material) return false;
  const { subtle } = crypto;
  try {
    const imported =
      "spki" in key.material
        ? await subtle.importKey("spki", key.material.spki, known, false, ["verify"])
        : await subtle.importKey("jwk", key.material.jwk as JsonWebKey, known, false, ["verify"]);
    return await subtle.verify(known, imported, signature as Uint8Array<ArrayBuffer>, new TextEncoder().encode(signed));
  } catch {
    return false;
  }
}

/** What a text has instead of keys. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}

const PEM = /^\s*-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/;

/**
 * The keys of a certificate or a public key in PEM (RFC 7468), of a JWK or of a JWK Set.
 *
 * @throws KeyError
 */
export function readKeys(text: string): readonly VerificationKey[] {
  const [block, label, body = ""] = PEM.exec(text) ?? [];
  if (block === undefined) return keysOfJwks(text);
  if (text.slice(block.length).trim() !== "") throw new KeyError("extra data after a PEM certificate block");
  if (label !== "CERTIFICATE" && label !== "PUBLIC KEY")
    throw new KeyError("failed to extract a Key from the PEM certificate");
  const der = fromBase64url(body.replace(/[\s=]/g, "").replaceAll("+", "-").replaceAll("/", "_"));
  const spki = der && (label === "CERTIFICATE" ? keyOfCertificate(der) : der);
  if (spki === undefined) throw new KeyError("failed to parse a PEM certificate");
  return [{ id: block, material: { spki } }];
}

/** Keys of one set that are looked at. */
const MOST_KEYS = 100;

function keysOfJwks(text: string): readonly VerificationKey[] {
  const read = parsed(text);
  const keys = isJsonObject(read) && Array.isArray(read.keys) ? read.keys : [read];
  if (keys.length > MOST_KEYS) throw new KeyError(`has more than ${MOST_KEYS} keys`);
  return keys.map((jwk: unknown) => {
    const material = isJsonObject(jwk) ? materialOf(jwk) : undefined;
    if (!isJsonObject(jwk) || material === undefined) throw new KeyError("failed to parse a JWK key (set)");
    const { alg, kid } = jwk;
    return {
      id: JSON.stringify(jwk),
      ...(typeof alg === "string" && alg !== "" && { alg }),
      ...(typeof kid === "string" && { kid }),
      material,
    };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Its public members alone: what a policy holds of a private key is of no use here (RFC 7518 §6). */
function materialOf({ kty, n, e, crv, x, y, k }: JsonObject): VerificationKey["material"] | undefined {
  if (kty === "RSA") return { jwk: { kty, n, e } };
  if (kty === "EC") return { jwk: { kty, crv, x, y } };
  if (kty === "OKP") return { jwk: { kty, crv, x } };
  const secret = kty === "oct" && typeof k === "string" ? fromBase64url(k) : undefined;
  return secret === undefined ? undefined : { secret };
}

const SEQUENCE = 0x30;
/** `[0]`, where the version stands (RFC 5280 §4.1). */
const VERSION = 0xa0;

/** `subjectPublicKeyInfo` of a certificate: what stands after version, serial, signature, issuer, validity and subject. */
function keyOfCertificate(der: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const certificate = elementAt(der, 0);
  if (certificate?.tag !== SEQUENCE || certificate.end !== der.length) return undefined;
  const signed = elementAt(der, certificate.begin);
  if (signed?.tag !== SEQUENCE) return undefined;
  let at = signed.begin;
  const first = elementAt(der, at);
  for (let passed = first?.tag === VERSION ? 0 : 1; passed < 6; passed += 1) {
    const element = elementAt(der, at);
    if (element === undefined) return undefined;
    at = element.end;
  }
  const key = elementAt(der, at);
  return key?.tag === SEQUENCE && key.end <= signed.end ? der.slice(at, key.end) : undefined;
}

interface Element {
  readonly tag: number;
  /** Of what it holds. */
  readonly begin: number;
  readonly end: number;
}

/** A definite length in the fewest bytes is what DER has (X.690 §10.1); four are more than any certificate needs. */
function elementAt(der: Uint8Array, at: number): Element | undefined {
  const [tag, short] = [der[at], der[at + 1]];
  if (tag === undefined || short === undefined) return undefined;
  const more = short < 0x80 ? 0 : short & 0x7f;
  if (short === 0x80 || more > 4) return undefined;
  const begin = at + 2 + more;
  const length = more === 0 ? short : der.slice(at + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0);
  return begin + length > der.length ? undefined : { tag, begin, end: begin + length };
}
