/** RFC 7518 §3.3 and §3.4. */
export type SigningAlgorithm = "ES256" | "RS256";

/** A private or a public key as JWK. Implementations cache the imported key for as long as the object `jwk` lives. */
export interface SigningKey {
  readonly algorithm: SigningAlgorithm;
  readonly jwk: object;
}

/**
 * Makes and checks signatures of JWSs; with ES256 `R || S`, 64 bytes. It is a port because the synchronous functions of Node
 * are faster than WebCrypto, which uses threads.
 */
export interface SigningCrypto {
  sign(privateKey: SigningKey, data: Uint8Array<ArrayBuffer>): Uint8Array | Promise<Uint8Array>;
  verify(
    publicKey: SigningKey,
    data: Uint8Array<ArrayBuffer>,
    signature: Uint8Array<ArrayBuffer>,
  ): boolean | Promise<boolean>;
}

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
} as const satisfies Readonly<Record<SigningAlgorithm, object>>;

/** Signs with WebCrypto, for runtimes without synchronous signatures. It caches keys, never promises of keys (D29). */
export function webSigningCrypto(): SigningCrypto {
  const imported = new WeakMap<object, CryptoKey>();
  const importedKey = async ({ algorithm, jwk }: SigningKey, usage: "sign" | "verify"): Promise<CryptoKey> => {
    const known = imported.get(jwk);
    if (known !== undefined) return known;
    const key = await crypto.subtle.importKey("jwk", members(jwk), ALGORITHMS[algorithm], false, [usage]);
    imported.set(jwk, key);
    return key;
  };
  return {
    sign: async (key, data) =>
      new Uint8Array(await crypto.subtle.sign(ALGORITHMS[key.algorithm], await importedKey(key, "sign"), data)),
    verify: async (key, data, signature) =>
      crypto.subtle.verify(ALGORITHMS[key.algorithm], await importedKey(key, "verify"), signature, data),
  };
}

/** The members of the key itself. Each runtime treats other members, such as `use` or `key_ops`, in its own way. */
function members(jwk: object): JsonWebKey {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => MEMBERS.has(name))) as JsonWebKey;
}

/** RFC 7518 §6.2 and §6.3. */
const MEMBERS = new Set("kty crv x y d n e p q dp dq qi".split(" "));
