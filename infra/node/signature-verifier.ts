import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { keptKeys } from "../../lib/oauth/kept-keys.ts";
import type { SignatureVerifier } from "../../lib/oauth/signature-verifier.ts";
import type { PublicKeyJwk } from "../../lib/stores/api-clients.ts";

/** ES256 by `node:crypto`, synchronously: less CPU than WebCrypto's way through the thread pool. */
export function nodeSignatureVerifier(): SignatureVerifier {
  const keys = keptKeys<KeyObject>();
  return {
    verify: (key, keyName, data, signature) => {
      const imported = keys.get(keyName) ?? keys.put(keyName, importKey(key));
      return verify("sha256", data, { key: imported, dsaEncoding: "ieee-p1363" }, signature);
    },
  };
}

function importKey({ kty, crv, x, y }: PublicKeyJwk): KeyObject {
  return createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
}
