import { fingerprint } from "../../api-clients/fingerprint.ts";
import { utf8 } from "../../encoding.ts";
import type { Random } from "../../random.ts";
import type { PublicKeyJwk } from "../../stores/api-clients.ts";
import type { SigningKeyRecord } from "../../stores/signing-keys.ts";
import { seal, unseal } from "./sealing.ts";
import type { SigningKey } from "./signing-crypto.ts";

/** What private keys are sealed with, 32 bytes or more; undefined where none is configured. */
export type KeySecret = () => Uint8Array<ArrayBuffer> | undefined;

/** The keys cannot be used as long as somebody does not set the configuration right. */
export class KeySecretError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KeySecretError";
  }
}

/**
 * A new ES256 key pair of the service itself.
 * @throws KeySecretError when there is no secret to seal it with
 */
export async function makeOwnKey(
  times: Pick<SigningKeyRecord, "publishedAt" | "signsFrom">,
  secret: KeySecret,
  random: Random,
): Promise<SigningKeyRecord> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const { x, y, d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const publicKey: PublicKeyJwk = { kty: "EC", crv: "P-256", x: x as string, y: y as string };
  const keyId = fingerprint(publicKey);
  const sealedPrivateKey = await seal(utf8(d as string), keyId, present(secret), random);
  return { keyId, algorithm: "ES256", publicKey, sealedPrivateKey, ...times };
}

/**
 * The private key of a record.
 * @throws KeySecretError when it was sealed with another secret
 */
export async function openOwnKey(record: SigningKeyRecord, secret: KeySecret): Promise<SigningKey> {
  const { keyId, algorithm, publicKey, sealedPrivateKey } = record;
  const opened = await unseal(sealedPrivateKey, keyId, present(secret));
  if (opened === undefined) {
    throw new KeySecretError(ANOTHER_SECRET);
  }
  return { algorithm, jwk: { ...publicKey, d: new TextDecoder().decode(opened) } };
}

/** The log would take the key's id for a secret. */
const ANOTHER_SECRET =
  "The signing key was encrypted with another secret: put the former oidcProvider.keySecret back, or, on the embedded default, signing-keys.key in the store's folder.";

function present(secret: KeySecret): Uint8Array<ArrayBuffer> {
  const bytes = secret();
  if (bytes === undefined)
    throw new KeySecretError("oidcProvider.keySecret is missing: no key can be kept without it.");
  return bytes;
}
