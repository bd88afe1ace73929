import { base64url, fromBase64url, utf8 } from "../../kernel/encoding.ts";
import type { Random } from "../../kernel/random.ts";
import { fingerprint } from "../../protocol/oauth/fingerprint.ts";
import type { PublicKeyJwk } from "../../protocol/oauth/public-key.ts";
import type { SigningKeyRecord } from "../../stores/signing-keys.ts";
import type { SigningKey } from "./signing-crypto.ts";

/** The secret that seals private keys, 32 bytes or more; undefined if none is configured. */
export type KeySecret = () => Uint8Array<ArrayBuffer> | undefined;

/** The keys cannot be used until the configuration is corrected. */
export class KeySecretError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KeySecretError";
  }
}

/**
 * A new ES256 key pair of the service.
 * @throws KeySecretError when there is no secret to seal it
 */
export async function makeOwnKey(
  times: Pick<SigningKeyRecord, "publishedAt" | "signsFrom">,
  secret: KeySecret,
  random: Random,
): Promise<SigningKeyRecord> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const { x, y, d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const publicKey: PublicKeyJwk = { kty: "EC", crv: "P-256", x: x as string, y: y as string };
  const keyId = fingerprint(publicKey);
  const sealedPrivateKey = await seal(utf8(d as string), keyId, present(secret), random);
  return { keyId, algorithm: "ES256", publicKey, sealedPrivateKey, ...times };
}

/**
 * The private key of a record.
 * @throws KeySecretError when it was sealed with another secret
 */
export async function openOwnKey(record: SigningKeyRecord, secret: KeySecret): Promise<SigningKey> {
  const { keyId, algorithm, publicKey, sealedPrivateKey } = record;
  const opened = await unseal(sealedPrivateKey, keyId, present(secret));
  if (opened === undefined) {
    throw new KeySecretError(ANOTHER_SECRET);
  }
  return { algorithm, jwk: { ...publicKey, d: new TextDecoder().decode(opened) } };
}

/** The message has no key id, because the log would redact it as a secret. */
const ANOTHER_SECRET =
  "The signing key was encrypted with another secret: put the former oidcProvider.keySecret back, or, on the embedded default, signing-keys.key in the store's folder.";

function present(secret: KeySecret): Uint8Array<ArrayBuffer> {
  const bytes = secret();
  if (bytes === undefined)
    throw new KeySecretError("oidcProvider.keySecret is missing: no key can be kept without it.");
  return bytes;
}

/**
 * Encrypts a private key for the store: AES-256-GCM under a key that HKDF (RFC 5869, SHA-256) derives from the secret. The
 * key's id is authenticated with it, so that one sealed key cannot stand in for another.
 *
 * @param secret 32 bytes or more
 * @returns base64url of a nonce and the ciphertext
 */
export async function seal(
  privateKey: Uint8Array<ArrayBuffer>,
  keyId: string,
  secret: Uint8Array<ArrayBuffer>,
  random: Random,
): Promise<string> {
  const nonce = random.bytes(NONCE_BYTES);
  const key = await sealingKey(secret, "encrypt");
  const sealed = new Uint8Array(await crypto.subtle.encrypt(terms(nonce, keyId), key, privateKey));
  const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
  bytes.set(nonce);
  bytes.set(sealed, NONCE_BYTES);
  return base64url(bytes);
}

/** Undefined when it was sealed with another secret or for another key, or is damaged. */
export async function unseal(
  sealed: string,
  keyId: string,
  secret: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = fromBase64url(sealed);
  if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
  const key = await sealingKey(secret, "decrypt");
  try {
    const nonce = bytes.slice(0, NONCE_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt(terms(nonce, keyId), key, bytes.slice(NONCE_BYTES)));
  } catch (error) {
    // WebCrypto's word for a tag that does not fit.
    if (error instanceof Error && error.name === "OperationError") return undefined;
    throw error;
  }
}

const NONCE_BYTES = 12;
const PURPOSE = utf8("countersign signing keys at rest");

function terms(iv: Uint8Array<ArrayBuffer>, keyId: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: utf8(`signing-key/${keyId}`) };
}

async function sealingKey(secret: Uint8Array<ArrayBuffer>, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: PURPOSE };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, [usage]);
}
