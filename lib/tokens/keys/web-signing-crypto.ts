import type { SigningAlgorithm, SigningCrypto, SigningKey } from "./signing-crypto.ts";

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
} as const satisfies Readonly<Record<SigningAlgorithm, object>>;

/** By WebCrypto, for runtimes without synchronous signatures. Keeps keys, never promises of them (D29). */
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

/** The key itself: what else a JWK says, such as `use` or `key_ops`, is compared by runtimes each in its own way. */
function members(jwk: object): JsonWebKey {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => MEMBERS.has(name))) as JsonWebKey;
}

/** RFC 7518 §6.2 and §6.3. */
const MEMBERS = new Set("kty crv x y d n e p q dp dq qi".split(" "));
