import type { SecretClient, SecretClientOptions } from "@azure/keyvault-secrets";
import { isJsonObject } from "../../kernel/json.ts";
import { entryField, pickField } from "../field.ts";
import {
  jsonAnswer,
  refusalReason,
  type SecretAnswer,
  type SendSecretRequest,
  secretFailure,
  secretHttp,
} from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { type ProviderUrl, parseProviderUrl, refusePath, vendorOrigin } from "../provider-url.ts";
import { type AzureCredential, type AzureIdentity, azureCredential } from "./credential.ts";

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

interface AzureKeyVaultUrl {
  readonly origin: string;
  readonly identity: AzureIdentity;
}

const EXAMPLE = "azurekeyvault://my-vault.vault.azure.net";
const ENTRA_ID = "login.microsoftonline.com";

/** @throws SecretError that names the part that is wrong and what is accepted */
function parseAzureKeyVaultUrl(text: string): AzureKeyVaultUrl {
  const url = parseProviderUrl(text, {
    example: EXAMPLE,
    parameters: ["tenantID", "clientID", "clientSecret", "entraIDHost"],
  });
  refusePath(url, EXAMPLE);
  const origin = vendorOrigin(url);
  if (!new URL(origin).hostname.includes(".")) {
    throw new SecretError(
      `The secret provider azurekeyvault needs the whole host name of the vault, for example ${EXAMPLE}.`,
    );
  }
  return { origin, identity: identityOf(url) };
}

/** A client with its secret; without a secret the identity of the machine, of which a client ID names one of several. */
function identityOf(url: ProviderUrl): AzureIdentity {
  const [tenantId, clientId, clientSecret] = ["tenantID", "clientID", "clientSecret"].map((name) =>
    url.parameter(name),
  );
  const entraHost = url.parameter("entraIDHost");
  if (clientSecret === undefined && tenantId === undefined) {
    if (entraHost === undefined) return { kind: "managed", clientId };
    throw new SecretError(
      "The secret provider azurekeyvault takes entraIDHost only with tenantID, clientID and clientSecret.",
    );
  }
  // With a user name or a path in it, the client's secret would go elsewhere.
  const entraUrl = `https://${entraHost ?? ENTRA_ID}`;
  if (!URL.canParse(entraUrl) || new URL(entraUrl).href !== `${new URL(entraUrl).origin}/`) {
    throw new SecretError(`The secret provider azurekeyvault needs a host as entraIDHost, for example ${ENTRA_ID}.`);
  }
  return {
    kind: "client",
    tenantId: url.required("tenantID"),
    clientId: url.required("clientID"),
    clientSecret: url.required("clientSecret"),
    entraOrigin: new URL(entraUrl).origin,
  };
}

interface AzureHttpClientOptions {
  /** For errors. */
  readonly provider: string;
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
function azureHttpClient({ provider, send, drop }: AzureHttpClientOptions): HttpClient {
  return {
    async sendRequest(request) {
      const url = new URL(request.url);
      const headers = request.headers.toJSON();
      const reference = secretIn(url);
      const answer = await send({ url, headers, reference });
      const token = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "")?.[1];
      const isChallenge = answer.status === 401 && token === undefined;
      if (answer.status === 401 && token !== undefined) drop(token);
      if (answer.status !== 200 && !isChallenge) {
        throw secretFailure(provider, reference, refusalReason(answer.status, codeOf(answer), READING));
      }
      return { request, status: answer.status, headers: azureHeaders(answer.headers), bodyAsText: answer.text };
    },
  };
}

/** `/secrets/NAME/VERSION` */
function secretIn(url: URL): string {
  return url.pathname.split("/")[2] ?? "";
}

/** The inner code where there is one: `SecretDisabled` tells more than `Forbidden`. */
function codeOf(answer: SecretAnswer): unknown {
  const error = jsonAnswer(answer)?.error;
  if (!isJsonObject(error)) return undefined;
  return isJsonObject(error.innererror) ? error.innererror.code : error.code;
}

const READING = {
  401: "the token is not accepted",
  403: "it is disabled, or the identity may not get it",
  404: "there is no such secret in the vault",
  429: "the vault is asked too often",
};

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
