import { isJsonObject } from "../../kernel/json.ts";
import { readBody } from "../../protocol/http/read-body.ts";
import { type EntryField, entryField, pickField } from "../field.ts";
import { ANSWER_LIMIT, answerSignal, connectionReason, secretFailure, statusText, TOO_LARGE } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../provider.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { parseProviderUrl } from "../provider-url.ts";

/** What the SDK's error names mean here; their messages hold accounts and paths of AWS and are not passed on. */
const KNOWN: Readonly<Record<string, string>> = {
  AccessDeniedException: "these credentials may not read it, or not use its KMS key",
  CredentialsProviderError: "there are no credentials: none in the URL, and none that the runtime has",
  DecryptionFailure: "its KMS key does not decrypt it",
  ExpiredTokenException: "the credentials have expired",
  InvalidRequestException: "it is marked for deletion, or managed by a service that does not give it",
  InvalidSignatureException: "the secret access key does not fit the access key ID, or the clock is wrong",
  ResourceNotFoundException: "there is no such secret in this region, or it has no value",
  ThrottlingException: "too many requests",
  SyntaxError: "its answer is no JSON",
  UnrecognizedClientException: "the access key ID is not known",
};

/**
 * AWS Secrets Manager by AWS's own client, which signs, retries and finds the runtime's credentials.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export async function openAwsSecrets(text: string, sources: SecretSources): Promise<SecretProvider> {
  const url = parseAwsUrl(text, sources.environment);
  const read = oneFlight(await secretReader(url, sources));
  return {
    async get(reference) {
      const place = awsEntry(reference);
      if (place === undefined) throw secretFailure(url.scheme, reference, "the ARN is not that of a secret");
      const picked = pickField(await read(place.entry, reference), place.field);
      if ("value" in picked) return picked.value;
      throw secretFailure(url.scheme, reference, `the secret ${place.entry} ${picked.reason}`);
    },
  };
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
    throw secretFailure(scheme, reference, "it is binary; accepted: text");
  };
}

function reasonOf(error: unknown, sources: SecretSources): string {
  if (error instanceof AnswerTooLargeError) return TOO_LARGE;
  const name = error instanceof Error ? error.name : "";
  if (Object.hasOwn(KNOWN, name)) return `${KNOWN[name]} (${name})`;
  const status = statusOf(error);
  return status === undefined ? connectionReason(error, sources) : statusText(status, name);
}

/** The status of the answer that became an error of the SDK's. */
function statusOf(error: unknown): number | undefined {
  const metadata = isJsonObject(error) ? error.$metadata : undefined;
  const status = isJsonObject(metadata) ? metadata.httpStatusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** Parts of a secret's ARN: `arn:partition:secretsmanager:region:account:secret:name`. A name has no colon. */
const ARN_PARTS = 7;

/**
 * `<name>`, `<name:jsonKey>`, `<ns.key>`, an ARN, or an ARN with `:jsonKey` behind it. A name with dots is written with
 * `:jsonKey` or as an ARN. Undefined for an ARN that is not a secret's.
 */
export function awsEntry(reference: string): EntryField | undefined {
  if (reference.startsWith("arn:")) return arnEntry(reference.split(":"));
  const colon = reference.indexOf(":");
  if (colon === -1) return entryField(reference);
  return { entry: reference.slice(0, colon), field: reference.slice(colon + 1) };
}

function arnEntry(parts: readonly string[]): EntryField | undefined {
  if (parts[2] !== "secretsmanager" || parts[5] !== "secret" || !parts[ARN_PARTS - 1]) return undefined;
  const entry = parts.slice(0, ARN_PARTS).join(":");
  return parts.length === ARN_PARTS ? { entry } : { entry, field: parts.slice(ARN_PARTS).join(":") };
}

interface AwsUrl {
  readonly scheme: string;
  readonly region: string;
  /** Absent: those of the runtime, as the SDK finds them. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Absent: the region's own. */
  readonly endpoint?: string;
}

const EXAMPLE = "awssecretsmanager://amazonaws.com?region=us-east-2";

/**
 * @param environment names the region where the URL does not, as on Lambda
 * @throws SecretError that names the part that is wrong and what is accepted
 */
export function parseAwsUrl(text: string, environment: Readonly<Record<string, string | undefined>>): AwsUrl {
  const url = parseProviderUrl(text, {
    example: EXAMPLE,
    parameters: ["region", "accessKeyID", "secretAccessKey", "endpoint"],
  });
  const { scheme, parameter, required } = url;
  const refuse = (what: string) => new SecretError(`The secret provider ${scheme} ${what}, for example ${EXAMPLE}.`);
  if (url.host !== "amazonaws.com" || url.path.length > 0) throw refuse("takes the host amazonaws.com and no path");

  const region = parameter("region") ?? environment.AWS_REGION ?? required("region");
  if (!/^[a-z]{2,}(-[a-z]+)+-\d{1,2}$/.test(region)) throw refuse("takes as region the name of an AWS region");
  const endpoint = parameter("endpoint");
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint)) {
    throw refuse("takes as endpoint an http or https URL of a host without a path");
  }
  const isKeyed = (parameter("accessKeyID") ?? parameter("secretAccessKey")) !== undefined;
  return {
    scheme,
    region,
    ...(isKeyed && {
      credentials: { accessKeyId: required("accessKeyID"), secretAccessKey: required("secretAccessKey") },
    }),
    ...(endpoint !== undefined && { endpoint }),
  };
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
