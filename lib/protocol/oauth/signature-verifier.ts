import type { PublicKeyJwk } from "./public-key.ts";

/**
 * Verifies ES256 signatures (RFC 7518 §3.4: ECDSA P-256 with SHA-256, `R || S`, 64 bytes). A port because the
 * synchronous verification of Node costs less than WebCrypto's.
 */
export interface SignatureVerifier {
  /** `keyName` is the key's fingerprint: implementations keep imported keys by it. */
  verify(
    key: PublicKeyJwk,
    keyName: string,
    data: Uint8Array<ArrayBuffer>,
    signature: Uint8Array<ArrayBuffer>,
  ): boolean | Promise<boolean>;
}
