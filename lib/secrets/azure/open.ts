import type { SecretClient, SecretClientOptions } from "@azure/keyvault-secrets";
import { entryField, pickField } from "../field.ts";
import { secretFailure, secretHttp } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../opener.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { type AzureCredential, azureCredential } from "./credential.ts";
import { azureHttpClient } from "./http-client.ts";
import { parseAzureKeyVaultUrl } from "./url.ts";

const PROVIDER = "azurekeyvault";

/**
 * Azure Key Vault: `<name>` is the newest version of the secret `name`, `<ns.key>` the field `key` of the JSON object in the
 * secret `ns`. A vault gives expired secrets as well, and so does this; disabled ones it refuses.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export async function openAzureKeyVault(text: string, sources: SecretSources): Promise<SecretProvider> {
  const { origin, identity } = parseAzureKeyVaultUrl(text);
  const send = secretHttp({ ...sources, provider: PROVIDER });
  const credential = azureCredential({ ...sources, provider: PROVIDER, identity, send });
  const httpClient = azureHttpClient({ provider: PROVIDER, send, drop: credential.drop });
  const client = await secretClient(origin, credential, httpClient);
  const read = oneFlight(async (name, reference) => {
    const secret = await client.getSecret(name).catch((error: unknown) => {
      throw error instanceof SecretError ? error : secretFailure(PROVIDER, reference, reasonOf(error));
    });
    return secret.value ?? "";
  });
  return {
    async get(reference) {
      const { entry, field } = entryField(reference);
      if (!/^[0-9A-Za-z-]{1,127}$/.test(entry)) {
        throw secretFailure(PROVIDER, reference, "a secret's name has letters, digits and - only");
      }
      const picked = pickField(await read(entry, reference), field);
      if ("value" in picked) return picked.value;
      throw secretFailure(PROVIDER, reference, `the secret ${entry} ${picked.reason}`);
    },
  };
}

/**
 * The SDK asks the vault which scope it wants (that of its cloud), checks that it belongs to the vault's domain, and asks the
 * credential for a token. It keeps none and tries nothing again: that is done behind it, as for every provider.
 */
async function secretClient(
  origin: string,
  credential: AzureCredential,
  httpClient: SecretClientOptions["httpClient"],
): Promise<SecretClient> {
  const { SecretClient } = await import("@azure/keyvault-secrets");
  const getToken = async (scopes: string | string[]) => ({
    token: await credential.token([scopes].flat().join(" ")),
    expiresOnTimestamp: 0,
  });
  return new SecretClient(origin, { getToken }, { ...(httpClient && { httpClient }), retryOptions: { maxRetries: 0 } });
}

/** The SDK's errors can hold answers, so that nothing of them is passed on. */
function reasonOf(error: unknown): string {
  const isChallenge = error instanceof Error && error.message.startsWith("The challenge");
  return isChallenge ? "the vault asks for a token of another domain than its own" : "its answer is no secret";
}
