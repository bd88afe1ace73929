import { join } from "node:path";
import { KeySecretError } from "../../../lib/authorization-server/keys/own-key.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { fromBase64url } from "../../../lib/kernel/encoding.ts";
import type { Random } from "../../../lib/kernel/random.ts";
import { StartupError } from "../startup-error.ts";
import { persistentFile } from "./persistent-file.ts";

const MINIMUM_BYTES = 32;

const CLIENT_ID_FILE = "client-id.key";
const SIGNING_KEYS_FILE = "signing-keys.key";

/** The region's secret for the check in client ids (D23): configured, or created once and stored beside the database. */
export function clientIdSecret(configuration: Configuration, random: Random): Uint8Array {
  const configured = configuration.oidcProvider?.apiClients.idSecret;
  const secret =
    configured === undefined ? storedClientIdSecret(configuration.store.path, random) : fromBase64url(configured);
  if (secret !== undefined && secret.length >= MINIMUM_BYTES) return secret;
  const where =
    configured === undefined ? join(configuration.store.path, CLIENT_ID_FILE) : "oidcProvider.apiClients.idSecret";
  throw new StartupError(
    `${where} must hold at least ${MINIMUM_BYTES} bytes${configured === undefined ? "" : " as base64url"}.`,
  );
}

/**
 * The secret that encrypts the service's signing keys: configured, or created at first use and stored beside the database. The
 * returned function throws KeySecretError if the secret is too short, for example because its file was truncated.
 */
export function signingKeySecret(configuration: Configuration, random: Random): () => Uint8Array<ArrayBuffer> {
  const configured = configuration.oidcProvider?.keySecret;
  const folder = configuration.store.path;
  let secret: Uint8Array<ArrayBuffer> | undefined;
  return () => {
    secret ??=
      configured === undefined
        ? longEnough(storedSigningSecret(folder, random), join(folder, SIGNING_KEYS_FILE))
        : longEnough(fromBase64url(configured), "oidcProvider.keySecret");
    return secret;
  };
}

function storedClientIdSecret(folder: string, random: Random): Uint8Array {
  return persistentFile(folder, CLIENT_ID_FILE, () => random.bytes(MINIMUM_BYTES));
}

function storedSigningSecret(folder: string, random: Random): Uint8Array<ArrayBuffer> {
  return new Uint8Array(persistentFile(folder, SIGNING_KEYS_FILE, () => random.bytes(MINIMUM_BYTES)));
}

function longEnough(secret: Uint8Array<ArrayBuffer> | undefined, where: string): Uint8Array<ArrayBuffer> {
  if (secret !== undefined && secret.length >= MINIMUM_BYTES) return secret;
  throw new KeySecretError(`${where} must hold at least ${MINIMUM_BYTES} bytes.`);
}
