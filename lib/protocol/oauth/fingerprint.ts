import { sha256base64url } from "#sha256";
import type { PublicKeyJwk } from "./public-key.ts";

/** The key's SHA-256 thumbprint (RFC 7638 §3), base64url; also the `kid` of assertions signed with it. */
export function fingerprint(jwk: PublicKeyJwk): string {
  const { crv, kty, x, y } = jwk;
  return sha256base64url(JSON.stringify({ crv, kty, x, y }));
}
