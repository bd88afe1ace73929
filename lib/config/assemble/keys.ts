import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  importJWK,
  importPKCS8,
  importSPKI,
  type JWK,
  type KeyObject,
} from "jose";
import { standardPem } from "../../kernel/pem.ts";
import type { ConfiguredSigningKey, OidcProviderConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./context.ts";

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

type SigningAlgorithm = "ES256" | "RS256";
/** PEM text or a JWK, as the configuration has it. */
export type KeyText = string | Readonly<Record<string, unknown>>;

/** RFC 7518 §3.3. */
const SMALLEST_MODULUS = 2_048;
const LONG_ENOUGH = `at least ${SMALLEST_MODULUS} bits`;
const EXTRACTABLE = { extractable: true } as const;

type ReadKey = { readonly jwk: JWK } | { readonly problem: string };

/** Imported and exported once more, so that only public members of a valid key are left; or what is wrong with it. */
async function publicJwk(key: KeyText, algorithm: SigningAlgorithm): Promise<ReadKey> {
  const jwk = await publicPart(key, algorithm);
  if (jwk === undefined)
    return { problem: `found no public key for ${algorithm}; accepted: PEM (SPKI or PKCS #1) or JWK` };
  if (isTooShort(jwk, algorithm)) return { problem: `found a key that is too short; accepted: ${LONG_ENOUGH}` };
  return { jwk };
}

async function publicPart(key: KeyText, algorithm: SigningAlgorithm): Promise<JWK | undefined> {
  if (typeof key === "string") return exported(() => importSPKI(standardPem(key), algorithm, EXTRACTABLE));
  return "d" in key ? undefined : exported(() => importJWK(key, algorithm, EXTRACTABLE));
}

/** A private key as JWK, or what is wrong with it. */
export async function privateJwk(key: KeyText, algorithm: SigningAlgorithm): Promise<ReadKey> {
  const jwk = await exported(() =>
    typeof key === "string" ? importPKCS8(key, algorithm, EXTRACTABLE) : importJWK(key, algorithm, EXTRACTABLE),
  );
  if (jwk?.d === undefined)
    return { problem: `found no private key for ${algorithm}; accepted: PEM (PKCS #8, PKCS #1 or SEC 1) or JWK` };
  if (isTooShort(jwk, algorithm)) {
    return { problem: `found a key that is too short to sign with; accepted: ${LONG_ENOUGH}` };
  }
  return { jwk };
}

function isTooShort({ n = "" }: JWK, algorithm: SigningAlgorithm): boolean {
  return algorithm === "RS256" && Math.floor((n.length * 6) / 8) * 8 < SMALLEST_MODULUS;
}

/** Undefined for what is no key of its kind: the runtimes and jose have many kinds of errors, and their texts can quote it. */
async function exported(load: () => Promise<CryptoKey | KeyObject | Uint8Array>): Promise<JWK | undefined> {
  try {
    const key = await load();
    return key instanceof Uint8Array ? undefined : await exportJWK(key);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
