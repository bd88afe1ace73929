import { base64url, fromBase64url, utf8 } from "../../encoding.ts";
import type { Random } from "../../random.ts";

/**
 * The successor of a refresh token, encrypted for whoever holds the old one: AES-256-GCM under a key that HKDF (RFC 5869,
 * SHA-256) makes of the old token's text, of which the store knows the hash alone.
 *
 * @returns base64url of nonce and ciphertext
 */
export async function sealSuccessor(successor: string, former: string, random: Random): Promise<string> {
  const nonce = random.bytes(NONCE_BYTES);
  const key = await keyOf(former, "encrypt");
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, utf8(successor)));
  const bytes = new Uint8Array(NONCE_BYTES + sealed.length);
  bytes.set(nonce);
  bytes.set(sealed, NONCE_BYTES);
  return base64url(bytes);
}

/** Rejects when it was sealed for another token, or is damaged: then the store is not to be trusted. */
export async function openSuccessor(sealed: string, former: string): Promise<string> {
  const bytes = fromBase64url(sealed);
  if (bytes === undefined) throw new Error("the sealed refresh token is no base64url");
  const key = await keyOf(former, "decrypt");
  const algorithm = { name: "AES-GCM", iv: bytes.slice(0, NONCE_BYTES) };
  return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, bytes.slice(NONCE_BYTES)));
}

const NONCE_BYTES = 12;
const PURPOSE = utf8("countersign successor of a refresh token");

async function keyOf(former: string, usage: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", utf8(former), "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: PURPOSE };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, [usage]);
}
