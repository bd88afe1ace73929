import { boundedCache } from "../../kernel/bounded-cache.ts";
import type { PublicKeyJwk } from "./public-key.ts";
import type { SignatureVerifier } from "./signature-verifier.ts";

const ES256_KEY = { name: "ECDSA", namedCurve: "P-256" };
const ES256_SIGNATURE = { name: "ECDSA", hash: "SHA-256" };

const MAX_KEYS = 10_000;

/** ES256 by WebCrypto, for runtimes without a synchronous verification. Keeps keys, never promises of them (D29). */
export function webCryptoSignatureVerifier(): SignatureVerifier {
  const keys = boundedCache<string, CryptoKey>(MAX_KEYS);
  return {
    verify: async (key, keyName, data, signature) => {
      let imported = keys.get(keyName);
      if (imported === undefined) {
        imported = await importKey(key);
        keys.put(keyName, imported);
      }
      return crypto.subtle.verify(ES256_SIGNATURE, imported, signature, data);
    },
  };
}

function importKey({ kty, crv, x, y }: PublicKeyJwk): Promise<CryptoKey> {
  return crypto.subtle.importKey("jwk", { kty, crv, x, y }, ES256_KEY, false, ["verify"]);
}
