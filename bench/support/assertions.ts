import { createPrivateKey, type KeyObject, randomUUID, sign } from "node:crypto";

export interface AssertionSource {
  readonly clientId: string;
  readonly privateKeyPem: string;
  readonly audience: string;
}

/** Form bodies of token requests, signed ahead so that signing is not measured. Each assertion has its own `jti`. */
export function tokenRequests(source: AssertionSource, count: number): readonly string[] {
  const key = createPrivateKey(source.privateKeyPem);
  return Array.from({ length: count }, () => tokenRequest(source, key));
}

function tokenRequest({ clientId, audience }: AssertionSource, key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, iat: now, exp: now + 600, jti: randomUUID() };
  const input = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${input}.${signature}`,
  }).toString();
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
