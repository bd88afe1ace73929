import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { environmentSecrets } from "../../lib/secrets/env.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import type { SecretProvider } from "../../lib/secrets/provider.ts";
import { fileSecrets } from "../../lib/secrets/secret-file.ts";
import { fileErrorReason } from "./files/file-error.ts";

/**
 * The secret provider of this process: `-secretProvider` or SVC_SECRET_PROVIDER.
 * @throws SecretError when both differ, the kind is unknown, or the provider cannot be opened
 */
export function openSecrets(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<SecretProvider> {
  return openSecretProvider(
    { flag, variable: environment.SVC_SECRET_PROVIDER },
    {
      env: environmentSecrets(environment),
      secretfile: fileSecrets(readSecretFile),
    },
  );
}

async function readSecretFile(path: string, folder = "/"): Promise<string> {
  try {
    return await readFile(resolve(folder, path), "utf8");
  } catch (error) {
    throw new Error(fileErrorReason(error), { cause: error });
  }
}
