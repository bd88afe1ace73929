import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import { utf8 } from "../kernel/encoding.ts";
import type { Random } from "../kernel/random.ts";
import { type SealTerms, seal, unseal } from "../kernel/seal.ts";
import type { PublicKeyJwk } from "../protocol/oauth/public-key.ts";
import type { Deployments, ServiceKeyRecord } from "../stores/deployments.ts";
import { change } from "./records.ts";
import type { DeploymentSettings } from "./settings.ts";
import { DeploymentError } from "./source.ts";

interface ServiceKeyPorts {
  readonly deployments: Pick<Deployments, "readDeployment" | "replaceDeployment">;
  readonly random: Random;
}

/** Bytes. */
const SHORTEST_SECRET = 32;

/**
 * Settings with the key that the instances of a store sign with, where they do (D241). The first of them makes it; all of them
 * believe what it has signed.
 *
 * @param secret with which private keys are sealed; undefined: there is none
 * @throws {DeploymentError} there is no secret, or the key was sealed with another one
 */
export async function withServiceKey(
  settings: DeploymentSettings,
  secret: Uint8Array<ArrayBuffer> | undefined,
  { deployments, random }: ServiceKeyPorts,
): Promise<DeploymentSettings> {
  if (settings.signing !== "service") return settings;
  if (secret === undefined || secret.length < SHORTEST_SECRET)
    throw new DeploymentError(
      "SVC_CONFIG_SIGNING=service needs oidcProvider.keySecret (32 bytes or more) in the configuration that the instance comes with: no key can be kept without it.",
    );
  const key = (await deployments.readDeployment()).serviceKey ?? (await madeOnce(secret, { deployments, random }));
  const { keyId, publicKey } = key;
  const signer = { kid: keyId, key: await privateKeyOf(key, secret) };
  const known = (await importJWK({ ...publicKey }, "ES256", { extractable: true })) as CryptoKey;
  return { ...settings, signer, keys: new Map([...settings.keys, [keyId, known]]) };
}

/** Of many instances that start at once, one makes it. */
async function madeOnce(
  secret: Uint8Array<ArrayBuffer>,
  { deployments, random }: ServiceKeyPorts,
): Promise<ServiceKeyRecord> {
  const made = await makeKey(secret, random);
  let used = made;
  await change(deployments, [], (record) => {
    used = record.serviceKey ?? made;
    return record.serviceKey === undefined ? { ...record, serviceKey: made } : undefined;
  });
  return used;
}

async function makeKey(secret: Uint8Array<ArrayBuffer>, random: Random): Promise<ServiceKeyRecord> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const { x = "", y = "", d = "" } = await exportJWK(privateKey);
  const publicKey: PublicKeyJwk = { kty: "EC", crv: "P-256", x, y };
  const keyId = await calculateJwkThumbprint({ ...publicKey });
  return { keyId, publicKey, sealedPrivateKey: await seal(utf8(d), sealTerms(keyId, secret), random) };
}

/** Whoever can write into the store alone makes none that opens: what was sealed is bound to the thumbprint of the public key. */
async function privateKeyOf(
  { keyId, publicKey, sealedPrivateKey }: ServiceKeyRecord,
  secret: Uint8Array<ArrayBuffer>,
): Promise<CryptoKey> {
  const opened = await unseal(sealedPrivateKey, sealTerms(keyId, secret));
  if (opened === undefined || (await calculateJwkThumbprint({ ...publicKey })) !== keyId)
    // The message has no key id, because the log would redact it as a secret.
    throw new DeploymentError(
      "The key that signs configurations was encrypted with another secret: put the former oidcProvider.keySecret back, or, on the embedded default, signing-keys.key in the store's folder.",
    );
  return (await importJWK({ ...publicKey, d: new TextDecoder().decode(opened) }, "ES256")) as CryptoKey;
}

/** Apart from the keys of tokens, so that none of them stands in for this one. */
function sealTerms(keyId: string, secret: Uint8Array<ArrayBuffer>): SealTerms {
  return { secret, purpose: "countersign key of configurations at rest", bound: `configuration-key/${keyId}` };
}
