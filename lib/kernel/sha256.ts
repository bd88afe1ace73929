import { sha256 as digest } from "@noble/hashes/sha2.js";
import { base64url, utf8 } from "./encoding.ts";

/**
 * SHA-256 (FIPS 180-4) where the runtime has none of its own. Synchronous on purpose: for the short texts that are hashed here, the
 * way to WebCrypto's threads and back costs thirty times the hash. `#sha256` is this file or that of the runtime (package.json, imports).
 *
 * @param data a text stands for its UTF-8
 */
export function sha256(data: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return digest(typeof data === "string" ? utf8(data) : data);
}

/** SHA-256 as base64url without padding (RFC 4648 §5): how secrets are named in stores. */
export function sha256base64url(data: Uint8Array | string): string {
  return base64url(sha256(data));
}
