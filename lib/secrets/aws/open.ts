import { isJsonObject } from "../../json.ts";
import { pickField } from "../field.ts";
import { answerSignal, connectionReason, secretFailure, statusText, TOO_LARGE } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import type { SecretSources } from "../opener.ts";
import type { SecretProvider } from "../provider.ts";
import { AnswerTooLargeError, fetchHandler } from "./fetch-handler.ts";
import { awsEntry } from "./reference.ts";
import { type AwsUrl, parseAwsUrl } from "./url.ts";

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
