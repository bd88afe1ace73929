import { boundedMap } from "../../bounded-map.ts";
import { sha256base64url } from "../../encoding.ts";
import type { JsonObject } from "../../json.ts";
import { type CompactJws, parseCompactJws } from "../../oauth/jws.ts";
import type { KeyRing, SignedType } from "./key-ring.ts";
import type { OwnKeys } from "./own-keys.ts";
import type { SigningAlgorithm, SigningCrypto, SigningKey } from "./signing-crypto.ts";

export interface VerificationParts {
  readonly crypto: SigningCrypto;
  readonly findOwn: OwnKeys["find"];
  /** Public JWKs with `kid` and `alg`. */
  readonly configuredKeys: () => readonly JsonObject[];
}

/** What a signature was found good for. It counts for this very key, as long as that one is known. */
interface Verified {
  readonly keyId: string;
  readonly key: object;
  readonly typ: SignedType;
  readonly claims: JsonObject;
}

/** About 2 kB each. */
const MAX_VERIFIED = 2_000;
const ALGORITHMS: readonly unknown[] = ["ES256", "RS256"] satisfies readonly SigningAlgorithm[];

/**
 * Signatures that were found good are known again by the hash of what was signed: agents send the same token with every
 * call. Refusals are never kept, and nothing here tells whether a token is still of use.
 */
export function createVerification({ crypto, findOwn, configuredKeys }: VerificationParts): KeyRing["verify"] {
  const verified = boundedMap<string, Verified>(MAX_VERIFIED);

  async function find(keyId: string): Promise<SigningKey | undefined> {
    const configured = configuredKeys().find(({ kid }) => kid === keyId);
    if (configured !== undefined) {
      return isAlgorithm(configured.alg) ? { algorithm: configured.alg, jwk: configured } : undefined;
    }
    const record = await findOwn(keyId);
    return record && { algorithm: record.algorithm, jwk: record.publicKey };
  }

  return async (text, typ) => {
    const name = sha256base64url(text);
    const known = verified.get(name);
    if (known?.typ === typ && (await find(known.keyId))?.jwk === known.key) return known.claims;
    const jws = parseCompactJws(text);
    const keyId = jws && keyIdOf(jws, typ);
    const key = keyId === undefined ? undefined : await find(keyId);
    if (jws === undefined || keyId === undefined || key === undefined || jws.header.alg !== key.algorithm) {
      return undefined;
    }
    if (!(await crypto.verify(key, jws.signingInput, jws.signature))) return undefined;
    verified.put(name, { keyId, key: key.jwk, typ, claims: jws.payload });
    return jws.payload;
  };
}

/** The key that a header as ours names; undefined for every other header. */
function keyIdOf({ header }: CompactJws, typ: SignedType): string | undefined {
  const { kid, crit } = header;
  return header.typ === typ && crit === undefined && typeof kid === "string" ? kid : undefined;
}

function isAlgorithm(value: unknown): value is SigningAlgorithm {
  return ALGORITHMS.includes(value);
}
