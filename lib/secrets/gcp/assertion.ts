import { SecretError } from "../provider.ts";
import type { ServiceAccount } from "./service-account.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** Google takes one hour at most; seconds. */
const LIFETIME = 3_600;

/**
 * The assertion with which a service account asks for an access token: signed with RS256, its audience the token endpoint.
 * @param now milliseconds since the epoch
 * @throws SecretError when the private key is none of RSA
 */
export async function gcpAssertion(
  { email, keyId, privateKey, tokenUri }: ServiceAccount,
  now: number,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import("jose");
  const issuedAt = Math.floor(now / 1_000);
  const key = await importPKCS8(privateKey, "RS256").catch(() => {
    // The reason would be about the key's bytes.
    throw new SecretError(`The private key of the service account ${email} cannot be used; accepted: RSA in PKCS#8.`);
  });
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(email)
    .setAudience(tokenUri.href)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME)
    .sign(key);
}
