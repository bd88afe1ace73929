import { join } from "node:path";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { fromBase64url } from "../../../lib/encoding.ts";
import type { Random } from "../../../lib/random.ts";
import { StartupError } from "../startup-error.ts";
import { keptFile } from "./kept-file.ts";

const MINIMUM_BYTES = 32;

/** The region's secret behind the check in client ids (D23): configured, or made once and kept beside the database. */
export function clientIdSecret(configuration: Configuration, random: Random): Uint8Array {
  const configured = configuration.oidcProvider?.apiClients.idSecret;
  const secret = configured === undefined ? keptSecret(configuration.store.path, random) : fromBase64url(configured);
  if (secret !== undefined && secret.length >= MINIMUM_BYTES) return secret;
  const where = configured === undefined ? join(configuration.store.path, FILE) : "oidcProvider.apiClients.idSecret";
  throw new StartupError(
    `${where} must hold at least ${MINIMUM_BYTES} bytes${configured === undefined ? "" : " as base64url"}.`,
  );
}

const FILE = "client-id.key";

function keptSecret(folder: string, random: Random): Uint8Array {
  return keptFile(folder, FILE, () => random.bytes(MINIMUM_BYTES));
}
