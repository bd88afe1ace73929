import type { SecretClient, SecretClientOptions } from "@azure/keyvault-secrets";
import { type SendSecretRequest, secretFailure, secretHttp } from "../http.ts";
import { SecretError, type SecretProvider, type SecretSources } from "../provider.ts";
import { type AzureCredential, azureCredential } from "./credential.ts";
import {
  keyVaultRefusal,
  keyVaultSecrets,
  NO_SECRET,
  OTHER_DOMAIN,
  PROVIDER,
  parseAzureKeyVaultUrl,
} from "./key-vault.ts";

/**
 * Azure Key Vault by Azure's own client.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export async function openAzureKeyVault(text: string, sources: SecretSources): Promise<SecretProvider> {
  const { origin, identity } = parseAzureKeyVaultUrl(text);
  const send = secretHttp({ ...sources, provider: PROVIDER });
  const credential = azureCredential({ ...sources, provider: PROVIDER, identity, send });
  const httpClient = azureHttpClient({ send, drop: credential.drop });
  const client = await secretClient(origin, credential, httpClient);
  return keyVaultSecrets(async (name, reference) => {
    const secret = await client.getSecret(name).catch((error: unknown) => {
      throw error instanceof SecretError ? error : secretFailure(PROVIDER, reference, reasonOf(error));
    });
    return secret.value ?? "";
  });
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
  return isChallenge ? OTHER_DOMAIN : NO_SECRET;
}

interface AzureHttpClientOptions {
  readonly send: SendSecretRequest;
  /** Receives a token that the vault does not accept. */
  readonly drop: (token: string) => void;
}

type HttpClient = NonNullable<SecretClientOptions["httpClient"]>;
type HttpHeaders = Awaited<ReturnType<HttpClient["sendRequest"]>>["headers"];

/**
 * Sends what the Azure SDK wants to send, all of it reading, by our own way out: proxies, authorities, limits and errors
 * are those of every provider. The SDK sees secrets and challenges; refusals become errors before it, as its own hold
 * requests and answers.
 */
function azureHttpClient({ send, drop }: AzureHttpClientOptions): HttpClient {
  return {
    async sendRequest(request) {
      const url = new URL(request.url);
      const headers = request.headers.toJSON();
      const reference = secretIn(url);
      const answer = await send({ url, headers, reference });
      const token = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "")?.[1];
      const isChallenge = answer.status === 401 && token === undefined;
      if (answer.status === 401 && token !== undefined) drop(token);
      if (answer.status !== 200 && !isChallenge) throw keyVaultRefusal(answer, reference);
      return { request, status: answer.status, headers: azureHeaders(answer.headers), bodyAsText: answer.text };
    },
  };
}

/** `/secrets/NAME/VERSION` */
function secretIn(url: URL): string {
  return url.pathname.split("/")[2] ?? "";
}

/** Headers as the SDK takes them. */
function azureHeaders(headers: Headers): HttpHeaders {
  return {
    get: (name) => headers.get(name) ?? undefined,
    has: (name) => headers.has(name),
    set: (name, value) => headers.set(name, String(value)),
    delete: (name) => headers.delete(name),
    toJSON: () => Object.fromEntries(headers),
    [Symbol.iterator]: () => headers[Symbol.iterator](),
  };
}
