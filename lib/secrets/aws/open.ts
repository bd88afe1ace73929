import { isJsonObject } from "../../kernel/json.ts";
import { readBody } from "../../protocol/http/read-body.ts";
import { ANSWER_LIMIT, answerSignal, connectionReason, secretFailure, statusText, TOO_LARGE } from "../http.ts";
import type { SecretProvider, SecretSources } from "../provider.ts";
import { type AwsUrl, awsMeaning, awsSecrets, BINARY, parseAwsUrl } from "./secrets-manager.ts";

/**
 * AWS Secrets Manager by AWS's own client, which signs, retries and finds the runtime's credentials.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export async function openAwsSecrets(text: string, sources: SecretSources): Promise<SecretProvider> {
  const url = parseAwsUrl(text, sources.environment);
  return awsSecrets(url, await secretReader(url, sources));
}

async function secretReader({ scheme, region, credentials, endpoint }: AwsUrl, sources: SecretSources) {
  const { SecretsManagerClient, GetSecretValueCommand } = await import("@aws-sdk/client-secrets-manager");
  const client = new SecretsManagerClient({
    region,
    requestHandler: fetchHandler(sources.fetch),
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
  });
  return async (SecretId: string, reference: string): Promise<string> => {
    try {
      const command = new GetSecretValueCommand({ SecretId });
      const { SecretString } = await client.send(command, { abortSignal: answerSignal(sources) });
      if (SecretString !== undefined) return SecretString;
    } catch (error) {
      // Without the cause: it holds the answer.
      throw secretFailure(scheme, reference, reasonOf(error, sources));
    }
    throw secretFailure(scheme, reference, BINARY);
  };
}

function reasonOf(error: unknown, sources: SecretSources): string {
  if (error instanceof AnswerTooLargeError) return TOO_LARGE;
  const name = error instanceof Error ? error.name : "";
  const status = statusOf(error);
  return awsMeaning(name) ?? (status === undefined ? connectionReason(error, sources) : statusText(status, name));
}

/** The status of the answer that became an error of the SDK's. */
function statusOf(error: unknown): number | undefined {
  const metadata = isJsonObject(error) ? error.$metadata : undefined;
  const status = isJsonObject(metadata) ? metadata.httpStatusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** What the SDK hands over for one attempt, as far as it is used here. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

interface SdkOptions {
  readonly abortSignal?: AbortSignal;
}

/** An answer was larger than any that holds a secret. */
class AnswerTooLargeError extends Error {
  constructor() {
    super(TOO_LARGE);
    this.name = "AnswerTooLargeError";
  }
}

/**
 * Lets the SDK send its requests with our `fetch`, which goes through the proxies of the environment and reads answers of
 * bounded size only; the SDK's own handler does neither.
 */
function fetchHandler(fetch: typeof globalThis.fetch) {
  return {
    async handle(request: SdkRequest, { abortSignal }: SdkOptions = {}) {
      const { method, protocol, hostname, port, path, body } = request;
      // The signed Host is the URL's, which fetch sends by itself.
      const { host, ...headers } = request.headers;
      const url = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`;
      const signal = abortSignal ?? null;
      // A redirect is an answer: the session token in the headers goes to AWS alone.
      const response = await fetch(url, { method, headers, body: body ?? null, signal, redirect: "manual" });
      const bytes = await readBody(response, ANSWER_LIMIT);
      if (bytes === undefined) throw new AnswerTooLargeError();
      return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body: bytes } };
    },
    updateHttpClientConfig() {
      // There is nothing to configure.
    },
    httpHandlerConfigs: () => ({}),
  };
}
