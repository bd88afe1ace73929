import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, type JWK, SignJWT } from "jose";
import { UsageError } from "../usage-error.ts";

/** How long an assertion made here is good for, seconds. */
const LIFETIME = 60;

/** The private key of an API client. */
export interface SigningKey {
  readonly key: KeyObject;
  /** RFC 7638 thumbprint, as the server names the key. */
  readonly fingerprint: string;
}

/**
 * Reads an EC P-256 private key from PEM, PKCS#8 or SEC 1.
 * @throws UsageError that never repeats the text
 */
export async function readSigningKey(pem: string): Promise<SigningKey> {
  const key = parse(pem);
  if (key.asymmetricKeyType !== "ec" || key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new UsageError("The key is no P-256 key; ES256 needs one.");
  }
  const publicKey = createPublicKey(key).export({ format: "jwk" }) as JWK;
  return { key, fingerprint: await calculateJwkThumbprint(publicKey) };
}

/** A client assertion (RFC 7523 §3) for one token request. */
export function signClientAssertion(signer: SigningKey, clientId: string, tokenEndpoint: string): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: signer.fingerprint })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenEndpoint)
    .setIssuedAt()
    .setExpirationTime(`${LIFETIME}s`)
    .setJti(randomUUID())
    .sign(signer.key);
}

function parse(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new UsageError("The key file holds no private key in PEM that can be read without a passphrase.");
  }
}
