import { createPrivateKey, createPublicKey, type JsonWebKeyInput, type KeyObject, sign, verify } from "node:crypto";
import type { SigningCrypto, SigningKey } from "../../../lib/authorization-server/keys/signing-crypto.ts";
import { derSignature, rawSignature } from "./der-signature.ts";

/** `R || S` of ES256 (RFC 7518 §3.4). */
const ES256_SIGNATURE_BYTES = 64;

/**
 * By `node:crypto`, synchronously, as `nodeSignatureVerifier` verifies. Keys go in by themselves: with options around them
 * (`dsaEncoding`), each signature would cost Node two errors that it throws and catches to tell what they are.
 */
export function nodeSigningCrypto(): SigningCrypto {
  const imported = new WeakMap<object, KeyObject>();
  const importedKey = ({ jwk }: SigningKey, importKey: (key: JsonWebKeyInput) => KeyObject): KeyObject => {
    const known = imported.get(jwk);
    if (known !== undefined) return known;
    const key = importKey({ format: "jwk", key: { ...jwk } as JsonWebKeyInput["key"] });
    imported.set(jwk, key);
    return key;
  };
  return {
    sign: (key, data) => {
      const signature = sign("sha256", data, importedKey(key, createPrivateKey));
      return key.algorithm === "RS256" ? signature : rawSignature(signature, ES256_SIGNATURE_BYTES / 2);
    },
    verify: (key, data, signature) => {
      const publicKey = importedKey(key, createPublicKey);
      if (key.algorithm === "RS256") return verify("sha256", data, publicKey, signature);
      return signature.length === ES256_SIGNATURE_BYTES && verify("sha256", data, publicKey, derSignature(signature));
    },
  };
}
