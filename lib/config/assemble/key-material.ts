import { type CryptoKey, exportJWK, importJWK, importPKCS8, importSPKI, type JWK, type KeyObject } from "jose";

export type SigningAlgorithm = "ES256" | "RS256";
/** PEM text or a JWK, as the configuration has it. */
export type KeyText = string | Readonly<Record<string, unknown>>;

/** RFC 7518 §3.3. */
const SMALLEST_MODULUS = 2_048;
const LONG_ENOUGH = `at least ${SMALLEST_MODULUS} bits`;
const EXTRACTABLE = { extractable: true } as const;

type ReadKey = { readonly jwk: JWK } | { readonly problem: string };

/** Imported and exported once more, so that only public members of a valid key are left; or what is wrong with it. */
export async function publicJwk(key: KeyText, algorithm: SigningAlgorithm): Promise<ReadKey> {
  const jwk = await publicPart(key, algorithm);
  if (jwk === undefined) return { problem: `found no public key for ${algorithm}; accepted: PEM (SPKI) or JWK` };
  if (isTooShort(jwk, algorithm)) return { problem: `found a key that is too short; accepted: ${LONG_ENOUGH}` };
  return { jwk };
}

async function publicPart(key: KeyText, algorithm: SigningAlgorithm): Promise<JWK | undefined> {
  if (typeof key === "string") return exported(() => importSPKI(key, algorithm, EXTRACTABLE));
  return "d" in key ? undefined : exported(() => importJWK(key, algorithm, EXTRACTABLE));
}

/** A private key as JWK, or what is wrong with it. */
export async function privateJwk(key: KeyText, algorithm: SigningAlgorithm): Promise<ReadKey> {
  const jwk = await exported(() =>
    typeof key === "string" ? importPKCS8(key, algorithm, EXTRACTABLE) : importJWK(key, algorithm, EXTRACTABLE),
  );
  if (jwk?.d === undefined) return { problem: `found no private key for ${algorithm}; accepted: PEM (PKCS #8) or JWK` };
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
