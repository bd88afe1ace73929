import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { boundedMap } from "../../lib/bounded-map.ts";
import type { SignatureVerifier } from "../../lib/oauth/signature-verifier.ts";
import type { PublicKeyJwk } from "../../lib/stores/api-clients.ts";

const MAX_KEYS = 10_000;

/** ES256 by `node:crypto`, synchronously: less CPU than WebCrypto's way through the thread pool. */
export function nodeSignatureVerifier(): SignatureVerifier {
  const keys = boundedMap<string, KeyObject>(MAX_KEYS);
  return {
    verify: (key, keyName, data, signature) => {
      let imported = keys.get(keyName);
      if (imported === undefined) {
        imported = importKey(key);
        keys.put(keyName, imported);
      }
      return verify("sha256", data, { key: imported, dsaEncoding: "ieee-p1363" }, signature);
    },
  };
}

function importKey({ kty, crv, x, y }: PublicKeyJwk): KeyObject {
  return createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
}
