import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemClock } from "../../lib/kernel/clock.ts";
import { HOSTED_OPENERS, NODE_OPENERS } from "../../lib/secrets/hosted-openers.ts";
import type { RememberedSecrets } from "../../lib/secrets/open.ts";
import { openSecretProvider } from "../../lib/secrets/open.ts";
import { PORTABLE_OPENERS } from "../../lib/secrets/openers.ts";
import type { SecretSources } from "../../lib/secrets/provider.ts";
import { fileErrorReason } from "./files/file-error.ts";

/**
 * The secret provider of this process: `-secretProvider` or SVC_SECRET_PROVIDER.
 * @param signal ends what is under way, so that the process need not wait for it
 * @throws SecretError when both differ, the kind is unknown, or the provider cannot be opened
 */
export async function openSecrets(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<RememberedSecrets> {
  return openSecretProvider(
    { flag, variable: environment.SVC_SECRET_PROVIDER },
    { ...PORTABLE_OPENERS, ...HOSTED_OPENERS, ...NODE_OPENERS },
    { ...(await sourcesOf(environment)), signal },
  );
}

async function sourcesOf(environment: Readonly<Record<string, string | undefined>>): Promise<SecretSources> {
  // Loaded late: a mistake in the command line does not need it.
  const { openFetch, outboundFetch } = await import("./net/open-fetch.ts");
  return {
    fetch: outboundFetch(environment),
    openFetch: openFetch(environment),
    clock: systemClock,
    environment,
    readFile: readSecretFile,
  };
}

export async function readSecretFile(path: string, folder = "/"): Promise<string> {
  try {
    return await readFile(resolve(folder, path), "utf8");
  } catch (error) {
    throw new Error(fileErrorReason(error), { cause: error });
  }
}
