import { sha256base64url } from "#sha256";
import { boundedCache } from "../../kernel/bounded-cache.ts";
import { base64url, utf8 } from "../../kernel/encoding.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { createRefreshingCache } from "../../kernel/refreshing-cache.ts";
import { reportTo } from "../../logging/fetch-report.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { type CompactJws, parseCompactJws } from "../../protocol/oauth/jws.ts";
import type { SigningKeyRecord } from "../../stores/signing-keys.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import type { KeyRing, SignedType } from "./key-ring.ts";
import { KeySecretError } from "./own-key.ts";
import { createOwnKeys, type OwnKeys, type OwnKeysParts, type Signer } from "./own-keys.ts";
import type { SigningAlgorithm, SigningCrypto, SigningKey } from "./signing-crypto.ts";

export interface KeyRingParts extends OwnKeysParts, Pick<AuthorizationServerPorts, "logger"> {
  readonly crypto: SigningCrypto;
}

/** How often an instance checks if a step of the rotation is due, milliseconds. */
const LOOK_INTERVAL = 3_600_000;

/**
 * The key ring. It signs with the keys of the configuration, if there are any, and otherwise with the service's own keys, which
 * it generates and rotates. When the configuration has keys that sign, the service's own keys are invalid at once. That is how
 * an operator replaces them in an emergency (D84).
 */
export function createKeyRing(parts: KeyRingParts): KeyRing {
  const { configuration, clock, random, logger, crypto } = parts;
  const own = createOwnKeys(parts);
  const signingKeys = () => configuration().configuration.oidcProvider?.signingKeys ?? [];
  const configuredKeys = () => configuration().configuration.oidcProvider?.publicKeys ?? [];

  async function signer(): Promise<Signer> {
    const [configured] = signingKeys();
    if (configured === undefined) return sayingUnavailable(own.signer);
    const { algorithm, privateKey, publicKey } = configured;
    return { keyId: String(publicKey.kid), key: { algorithm, jwk: privateKey } };
  }

  const { status, isDue, attempt } = createRefreshingCache({
    clock,
    random,
    refreshInterval: LOOK_INTERVAL,
    load: async () => {
      if (signingKeys().length === 0) await own.refresh();
      else await own.remove();
      return "ready" as const;
    },
    report: reportTo(logger, "signing keys", {}),
  });
  return {
    sign: async (claims, typ) => {
      const { keyId, key } = await signer();
      const input = `${segment({ alg: key.algorithm, typ, kid: keyId })}.${segment(claims)}`;
      return `${input}.${base64url(await crypto.sign(key, utf8(input)))}`;
    },
    verify: createVerification({
      crypto,
      configuredKeys,
      findOwn: async (keyId) => (signingKeys().length === 0 ? own.find(keyId) : undefined),
    }),
    publicKeys: async () => {
      const published = signingKeys().length === 0 ? await own.published() : [];
      return [...configuredKeys(), ...published.map(publishedKey)];
    },
    algorithms: () => {
      const configured = signingKeys().map(({ algorithm }) => algorithm);
      return configured.length === 0 ? ["ES256"] : [...new Set(configured)];
    },
    component: { name: "signing-keys", status, isDue, attempt },
  };
}

/** The request is correct. It can be repeated after the configuration was corrected. */
async function sayingUnavailable(signer: () => Promise<Signer>): Promise<Signer> {
  try {
    return await signer();
  } catch (error) {
    if (!(error instanceof KeySecretError)) throw error;
    throw new OAuthError("temporarily_unavailable", {
      description: "tokens cannot be signed for now",
      status: 503,
      detail: error.message,
    });
  }
}

function publishedKey({ keyId, algorithm, publicKey }: SigningKeyRecord): JsonObject {
  return { ...publicKey, kid: keyId, alg: algorithm, use: "sig" };
}

function segment(value: JsonObject): string {
  return base64url(utf8(JSON.stringify(value)));
}

interface VerificationParts {
  readonly crypto: SigningCrypto;
  readonly findOwn: OwnKeys["find"];
  /** Public JWKs with `kid` and `alg`. */
  readonly configuredKeys: () => readonly JsonObject[];
}

/**
 * Verified signatures are cached by the hash of the token, because agents send the same token with every call. Refusals are
 * never cached. A verified signature does not mean that the token is still active.
 */
function createVerification({ crypto, findOwn, configuredKeys }: VerificationParts): KeyRing["verify"] {
  const verified = boundedCache<string, Verified>(MAX_VERIFIED);

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

/** The key id of a header in our form; undefined for every other header. */
function keyIdOf({ header }: CompactJws, typ: SignedType): string | undefined {
  const { kid, crit } = header;
  return header.typ === typ && crit === undefined && typeof kid === "string" ? kid : undefined;
}

function isAlgorithm(value: unknown): value is SigningAlgorithm {
  return ALGORITHMS.includes(value);
}

/** The result of a verified signature. It is valid for this key only, as long as the key is known. */
interface Verified {
  readonly keyId: string;
  readonly key: object;
  readonly typ: SignedType;
  readonly claims: JsonObject;
}

/** About 2 kB each. */
const MAX_VERIFIED = 2_000;
const ALGORITHMS: readonly unknown[] = ["ES256", "RS256"] satisfies readonly SigningAlgorithm[];
