import { join } from "node:path";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { fromBase64url } from "../../../lib/encoding.ts";
import type { Random } from "../../../lib/random.ts";
import { StartupError } from "../startup-error.ts";
import { keptFile } from "./kept-file.ts";

const MINIMUM_BYTES = 32;
const FILE = "signing-keys.key";

/**
 * What the service's signing keys are encrypted with: configured, or made when first needed and kept beside the database.
 * @throws StartupError when it is too short
 */
export function signingKeySecret(configuration: Configuration, random: Random): () => Uint8Array<ArrayBuffer> {
  const configured = configuration.oidcProvider?.keySecret;
  const folder = configuration.store.path;
  let secret = configured === undefined ? undefined : longEnough(fromBase64url(configured), "oidcProvider.keySecret");
  return () => {
    secret ??= longEnough(keptSecret(folder, random), join(folder, FILE));
    return secret;
  };
}

function keptSecret(folder: string, random: Random): Uint8Array<ArrayBuffer> {
  return new Uint8Array(keptFile(folder, FILE, () => random.bytes(MINIMUM_BYTES)));
}

function longEnough(secret: Uint8Array<ArrayBuffer> | undefined, where: string): Uint8Array<ArrayBuffer> {
  if (secret !== undefined && secret.length >= MINIMUM_BYTES) return secret;
  throw new StartupError(`${where} must hold at least ${MINIMUM_BYTES} bytes.`);
}
