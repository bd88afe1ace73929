import type { Dependencies } from "../../dependencies.ts";
import { base64url, utf8 } from "../../encoding.ts";
import { keep } from "../../health/kept.ts";
import { reportTo } from "../../health/report.ts";
import type { JsonObject } from "../../json.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { SigningKeyRecord } from "../../stores/signing-keys.ts";
import type { KeyRing } from "./key-ring.ts";
import { KeySecretError } from "./own-key.ts";
import { createOwnKeys, type OwnKeysParts, type Signer } from "./own-keys.ts";
import type { SigningCrypto } from "./signing-crypto.ts";
import { createVerification } from "./verification.ts";

export interface KeyRingParts extends OwnKeysParts, Pick<Dependencies, "logger"> {
  readonly crypto: SigningCrypto;
}

/** How often an instance looks whether a step of the rotation is due, milliseconds. */
const LOOK_INTERVAL = 3_600_000;

/**
 * The keys of the configuration where it has some that sign, else the service's own, which it makes and rotates. Where the
 * configuration signs, keys of its own count no more, at once: that is how they are replaced in an emergency (D84).
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

  const { status, isDue, attempt } = keep({
    clock,
    random,
    refreshInterval: LOOK_INTERVAL,
    load: async () => {
      if (signingKeys().length === 0) await own.tend();
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

/** Nothing of the request is wrong, and it may be repeated once the configuration is set right. */
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
