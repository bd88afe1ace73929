import { base64url, concatenated, fromBase64url, utf8 } from "./encoding.ts";
import type { Random } from "./random.ts";

/** With what a text is sealed and opened again. */
export interface SealTerms {
  /** 32 bytes or more that nobody else knows. */
  readonly secret: Uint8Array<ArrayBuffer>;
  /** Sets the keys of one secret apart: what was sealed for one purpose opens for no other. */
  readonly purpose: string;
  /** What it belongs to. It is authenticated with the content, and has to be the same when that is opened. */
  readonly bound: string;
}

/**
 * Encrypts what somebody else keeps for us: AES-256-GCM (NIST SP 800-38D) under a key that HKDF (RFC 5869, SHA-256) derives
 * from the secret.
 *
 * @returns base64url of a nonce and the ciphertext
 */
export async function seal(content: Uint8Array<ArrayBuffer>, terms: SealTerms, random: Random): Promise<string> {
  const nonce = random.bytes(NONCE_BYTES);
  const key = await derivedKey(terms, AES, "encrypt");
  const sealed = await crypto.subtle.encrypt(parameters(nonce, terms), key, content);
  return base64url(concatenated([nonce, new Uint8Array(sealed)]));
}

/** Undefined when it was sealed with another secret, for another purpose or bound to something else, or is damaged. */
export async function unseal(sealed: string, terms: SealTerms): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = fromBase64url(sealed);
  if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
  const key = await derivedKey(terms, AES, "decrypt");
  try {
    const opened = await crypto.subtle.decrypt(
      parameters(bytes.slice(0, NONCE_BYTES), terms),
      key,
      bytes.slice(NONCE_BYTES),
    );
    return new Uint8Array(opened);
  } catch (error) {
    // WebCrypto's word for a tag that does not fit.
    if (error instanceof Error && error.name === "OperationError") return undefined;
    throw error;
  }
}

/**
 * Shows that a text comes from whoever knows the secret: HMAC (RFC 2104) with SHA-256, under a key that HKDF derives for the
 * purpose. Compare it with `equalSecrets`.
 *
 * @returns base64url, 43 characters
 */
export async function mac(secret: SealTerms["secret"], purpose: string, text: string): Promise<string> {
  const key = await derivedKey({ secret, purpose }, HMAC, "sign");
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(text))));
}

/** Bytes that only whoever knows the secret can compute, others for each purpose: HKDF (RFC 5869, SHA-256). */
export async function derivedBytes(
  secret: SealTerms["secret"],
  purpose: string,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits(derivation(purpose), material, length * 8));
}

const NONCE_BYTES = 12;
const AES = { name: "AES-GCM", length: 256 };
const HMAC = { name: "HMAC", hash: "SHA-256", length: 256 };

function parameters(iv: Uint8Array<ArrayBuffer>, { bound }: SealTerms): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: utf8(bound) };
}

async function derivedKey(
  { secret, purpose }: Pick<SealTerms, "secret" | "purpose">,
  type: AesKeyGenParams | HmacKeyGenParams,
  usage: "encrypt" | "decrypt" | "sign",
): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(derivation(purpose), material, type, false, [usage]);
}

function derivation(purpose: string): HkdfParams {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(purpose) };
}
