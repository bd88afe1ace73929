import { calculateJwkThumbprint, type JWK } from "jose";
import type { ConfiguredSigningKey, OidcProviderConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./http.ts";
import { type KeyText, privateJwk, publicJwk, type SigningAlgorithm } from "./key-material.ts";

type ConfiguredKey = NonNullable<ConfigurationDocument["oidcProvider"]>["jwks"][number];
type Keys = Pick<OidcProviderConfiguration, "publicKeys" | "signingKeys">;
type PublishedKey = JWK & { readonly kid: string };

/**
 * The public halves of `oidcProvider.jwks[]` for the JWKS document (RFC 7517), named by their thumbprint (RFC 7638), and
 * the pairs that sign.
 */
export async function providerKeys(keys: readonly ConfiguredKey[], report: Report): Promise<Keys> {
  const publicKeys: PublishedKey[] = [];
  const signingKeys: ConfiguredSigningKey[] = [];
  for (const [index, { algorithm, publicKey, privateKey }] of keys.entries()) {
    // Published files spell it RSA256 as well.
    const alg = algorithm === "RSA256" ? "RS256" : algorithm;
    const path = ["oidcProvider", "jwks", index];
    const read = await publicJwk(publicKey, alg);
    if ("problem" in read) {
      report([...path, "publicKey"], read.problem);
      continue;
    }
    const { jwk } = read;
    const published = { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: "sig" };
    publicKeys.push(published);
    if (privateKey === undefined) continue;
    const pair = await signingKey(privateKey, published, alg);
    if ("problem" in pair) report([...path, "privateKey"], pair.problem);
    else signingKeys.push(pair);
  }
  return { publicKeys, signingKeys };
}

async function signingKey(
  input: KeyText,
  publicKey: PublishedKey,
  algorithm: SigningAlgorithm,
): Promise<ConfiguredSigningKey | { readonly problem: string }> {
  const read = await privateJwk(input, algorithm);
  if ("problem" in read) return read;
  if (!(await isPair(read.jwk, publicKey, algorithm))) {
    return { problem: "found a private key that is not the other half of publicKey; accepted: the two of one pair" };
  }
  return { algorithm, publicKey: { ...publicKey }, privateKey: { ...read.jwk } };
}

/** A JWK can hold a public half that does not belong to its private one, so the two are tried. */
async function isPair(privateKey: JWK, publicKey: PublishedKey, algorithm: SigningAlgorithm): Promise<boolean> {
  if ((await calculateJwkThumbprint(privateKey)) !== publicKey.kid) return false;
  const { subtle } = globalThis.crypto;
  const parameters = PARAMETERS[algorithm];
  const probe = new TextEncoder().encode("whether two halves belong together");
  const { use, ...half } = publicKey;
  const signer = await subtle.importKey("jwk", { ...privateKey }, parameters, false, ["sign"]);
  const verifier = await subtle.importKey("jwk", half, parameters, false, ["verify"]);
  return subtle.verify(parameters, verifier, await subtle.sign(parameters, signer, probe), probe);
}

const PARAMETERS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
} as const;
