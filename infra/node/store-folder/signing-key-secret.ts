import { join } from "node:path";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { fromBase64url } from "../../../lib/encoding.ts";
import type { Random } from "../../../lib/random.ts";
import { KeySecretError } from "../../../lib/tokens/keys/own-key.ts";
import { keptFile } from "./kept-file.ts";

const MINIMUM_BYTES = 32;
const FILE = "signing-keys.key";

/**
 * What the service's signing keys are encrypted with: configured, or made when first needed and kept beside the database.
 * What it returns throws KeySecretError when the secret is too short, as it is when its file was cut off.
 */
export function signingKeySecret(configuration: Configuration, random: Random): () => Uint8Array<ArrayBuffer> {
  const configured = configuration.oidcProvider?.keySecret;
  const folder = configuration.store.path;
  let secret: Uint8Array<ArrayBuffer> | undefined;
  return () => {
    secret ??=
      configured === undefined
        ? longEnough(keptSecret(folder, random), join(folder, FILE))
        : longEnough(fromBase64url(configured), "oidcProvider.keySecret");
    return secret;
  };
}

function keptSecret(folder: string, random: Random): Uint8Array<ArrayBuffer> {
  return new Uint8Array(keptFile(folder, FILE, () => random.bytes(MINIMUM_BYTES)));
}

function longEnough(secret: Uint8Array<ArrayBuffer> | undefined, where: string): Uint8Array<ArrayBuffer> {
  if (secret !== undefined && secret.length >= MINIMUM_BYTES) return secret;
  throw new KeySecretError(`${where} must hold at least ${MINIMUM_BYTES} bytes.`);
}
