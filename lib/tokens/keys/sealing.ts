import { base64url, fromBase64url, utf8 } from "../../encoding.ts";
import type { Random } from "../../random.ts";

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
