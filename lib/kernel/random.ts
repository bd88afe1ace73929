/** Cryptographically strong random bytes. A dependency, so that a runtime or a test provides its own. */
export interface Random {
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

export const webCryptoRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
