/** RFC 7518 §3.3 and §3.4. */
export type SigningAlgorithm = "ES256" | "RS256";

/** A private or a public key as JWK. Implementations keep what they made of the object `jwk` for as long as it lives. */
export interface SigningKey {
  readonly algorithm: SigningAlgorithm;
  readonly jwk: object;
}

/**
 * Makes and checks signatures of JWSs: with ES256 `R || S`, 64 bytes. A port because the synchronous functions of Node cost
 * less than WebCrypto's way through threads.
 */
export interface SigningCrypto {
  sign(privateKey: SigningKey, data: Uint8Array<ArrayBuffer>): Uint8Array | Promise<Uint8Array>;
  verify(
    publicKey: SigningKey,
    data: Uint8Array<ArrayBuffer>,
    signature: Uint8Array<ArrayBuffer>,
  ): boolean | Promise<boolean>;
}
