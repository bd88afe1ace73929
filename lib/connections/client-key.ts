import { calculateJwkThumbprint } from "jose";
import { base64url, concatenated, fromBase64url } from "../kernel/encoding.ts";
import { derivedBytes } from "../kernel/seal.ts";

/** A private key on P-256 as a JWK, with its thumbprint (RFC 7638) as `kid`. */
export interface ClientKey {
  readonly [member: string]: string;
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly d: string;
  readonly kid: string;
}

/** What the client signs with at its provider, and what it shows of that. */
export interface ClientKeys {
  /** One for each vault key, in their order: the first signs, and all are published. */
  of(clientID: string): Promise<readonly ClientKey[]>;
}

/**
 * The keys by which this service proves that it is the client whose metadata document it publishes (RFC 7523 §2.2). Each is derived
 * from a key of the vault and the client id (D222): every instance has the same ones and none is stored, they are replaced with the
 * vault's, and what one provider is sent says nothing at another one, nor where our tokens are read.
 *
 * @param vaultKeys 32 bytes each, base64url
 */
export function createClientKeys(vaultKeys: readonly string[]): ClientKeys {
  const secrets = vaultKeys.flatMap((key) => fromBase64url(key) ?? []);
  // Values, and no promises of them, which would belong to the request that made them (D29).
  const known = new Map<string, readonly ClientKey[]>();
  return {
    async of(clientID) {
      const keys = known.get(clientID) ?? (await Promise.all(secrets.map((secret) => derivedKey(secret, clientID))));
      known.set(clientID, keys);
      return keys;
    },
  };
}

/** What others may see of a key (RFC 7517 §4). */
export function publicHalf({ kty, crv, x, y, kid }: ClientKey): Readonly<Record<string, string>> {
  return { kty, crv, x, y, kid, alg: "ES256", use: "sig" };
}

async function derivedKey(secret: Uint8Array<ArrayBuffer>, clientID: string): Promise<ClientKey> {
  const scalar = scalarOf(await derivedBytes(secret, `${PURPOSE} ${clientID}`, SEED_BYTES));
  const imported = await crypto.subtle.importKey("pkcs8", concatenated([PREFIX, scalar]), ES256, true, ["sign"]);
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", imported);
  const jwk = { kty: "EC", crv: "P-256", x, y, d: base64url(scalar) } as const;
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) };
}

/** FIPS 186-5 A.2.1: of 64 bits more than the order has, none of its residues is noticeably likelier than another one. */
function scalarOf(seed: Uint8Array): Uint8Array<ArrayBuffer> {
  let number = 0n;
  for (const byte of seed) number = number * 256n + BigInt(byte);
  number = (number % (ORDER - 1n)) + 1n;
  return Uint8Array.from({ length: SCALAR_BYTES }, (_, index) => Number((number >> BigInt(8 * (31 - index))) & 255n));
}

const PURPOSE = "client key at the OAuth provider of";
const ES256 = { name: "ECDSA", namedCurve: "P-256" };
const SCALAR_BYTES = 32;
const SEED_BYTES = 40;
/** Of the base point of P-256 (NIST SP 800-186 §3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** PrivateKeyInfo (RFC 5208 §5) with an ECPrivateKey (RFC 5915 §3) on P-256, up to its 32 bytes; whoever reads it computes the public key. */
const PREFIX = Uint8Array.from([
  0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
  0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
]);
