import { type KeyObject, randomUUID, sign } from "node:crypto";

export interface AssertionSource {
  readonly clientId: string;
  readonly privateKey: KeyObject;
  readonly audience: string;
}

/** Seconds that an assertion lives: longer than a benchmark, and no longer than a server accepts. */
const LIFETIME = 3000;

/** Form of a token request with an assertion that has its own `jti`. Requests are signed ahead, so that signing is not measured. */
export function tokenForm({ clientId, audience, privateKey }: AssertionSource): Readonly<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, iat: now, exp: now + LIFETIME, jti: randomUUID() };
  const input = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}`;
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  return {
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${input}.${sign("sha256", Buffer.from(input), key).toString("base64url")}`,
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
