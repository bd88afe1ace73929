import { calculateJwkThumbprint, exportJWK, importJWK, importSPKI, type JWK } from "jose";
import type { OidcProviderConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./http.ts";

type ConfiguredKeys = NonNullable<ConfigurationDocument["oidcProvider"]>["jwks"];

/** The public halves of `oidcProvider.jwks[]` for the JWKS document (RFC 7517), named by their thumbprint (RFC 7638). */
export async function publicKeys(
  keys: ConfiguredKeys,
  report: Report,
): Promise<OidcProviderConfiguration["publicKeys"]> {
  const results: Readonly<Record<string, unknown>>[] = [];
  for (const [index, { algorithm, publicKey }] of keys.entries()) {
    // Published files spell it RSA256 as well.
    const alg = algorithm === "RSA256" ? "RS256" : algorithm;
    const jwk = await publicJwk(publicKey, alg);
    if (jwk !== undefined) results.push({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: "sig" });
    else
      report(
        ["oidcProvider", "jwks", index, "publicKey"],
        `found no public key for ${alg}; accepted: PEM (SPKI) or JWK`,
      );
  }
  return results;
}

/** Imported and exported once more, so that only public members of a valid key are left. */
async function publicJwk(input: ConfiguredKeys[number]["publicKey"], alg: string): Promise<JWK | undefined> {
  if (typeof input === "object" && "d" in input) return undefined;
  try {
    const key =
      typeof input === "string" ? await importSPKI(input, alg, EXTRACTABLE) : await importJWK(input, alg, EXTRACTABLE);
    return key instanceof Uint8Array ? undefined : await exportJWK(key);
  } catch (error) {
    // The runtimes and jose have many kinds of errors for a malformed key, and their texts can quote it.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const EXTRACTABLE = { extractable: true } as const;
