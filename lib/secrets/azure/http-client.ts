import type { SecretClientOptions } from "@azure/keyvault-secrets";
import { isJsonObject } from "../../json.ts";
import { jsonAnswer, type SecretAnswer, type SendSecretRequest, secretFailure } from "../http.ts";
import { refusalReason } from "../refusal.ts";

export interface AzureHttpClientOptions {
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
export function azureHttpClient({ provider, send, drop }: AzureHttpClientOptions): HttpClient {
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
