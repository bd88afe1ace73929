import type { PublicKeyJwk } from "../stores/api-clients.ts";
import { toPem } from "./pem.ts";

export interface GeneratedKeyPair {
  readonly publicKey: PublicKeyJwk;
  /** PKCS#8 (RFC 5958) in PEM. Hand it over once; it is stored nowhere (D12). */
  readonly privateKeyPem: string;
}

/** A new ES256 key pair (RFC 7518 §3.4), from the runtime's own generator. */
export async function generateKeyPair(): Promise<GeneratedKeyPair> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const { x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  return {
    publicKey: { kty: "EC", crv: "P-256", x: x as string, y: y as string },
    privateKeyPem: toPem("PRIVATE KEY", der),
  };
}
