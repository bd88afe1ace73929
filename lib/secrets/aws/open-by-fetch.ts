import { jsonAnswer, type SecretAnswer, secretFailure, secretHttp, statusText } from "../http.ts";
import type { SecretProvider, SecretSources } from "../provider.ts";
import { type AwsCredentials, type AwsUrl, awsMeaning, awsSecrets, BINARY, parseAwsUrl } from "./secrets-manager.ts";
import { signed } from "./signature.ts";

/**
 * AWS Secrets Manager by signed requests of our own, for where AWS's client does not run. Its one operation here is
 * `GetSecretValue` in the JSON protocol, version 1.1. Credentials are those of the URL, else of the environment.
 * @throws SecretError when the URL is not as documented; nothing is connected yet
 */
export function openAwsSecretsByFetch(text: string, sources: SecretSources): SecretProvider {
  const url = parseAwsUrl(text, sources.environment);
  const send = secretHttp({ ...sources, provider: url.scheme });
  const address = new URL(url.endpoint ?? `https://${awsHost(url.region)}`);
  return awsSecrets(url, async (SecretId, reference) => {
    const refuse = (reason: string) => secretFailure(url.scheme, reference, reason);
    const credentials = url.credentials ?? credentialsOf(sources.environment);
    if (credentials === undefined) throw refuse(String(awsMeaning("CredentialsProviderError")));
    const answer = await send({ ...getSecretValue(SecretId, address, { url, credentials, sources }), reference });
    const { SecretString, SecretBinary } = accepted(answer, refuse);
    if (typeof SecretString === "string") return SecretString;
    throw refuse(SecretBinary === undefined ? "its answer is no secret" : BINARY);
  });
}

interface Signing {
  readonly url: AwsUrl;
  readonly credentials: AwsCredentials;
  readonly sources: Pick<SecretSources, "clock">;
}

function getSecretValue(SecretId: string, address: URL, { url, credentials, sources }: Signing) {
  const headers = { "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "secretsmanager.GetSecretValue" };
  const request = { method: "POST", url: address, headers, body: JSON.stringify({ SecretId }) } as const;
  const { region } = url;
  const options = { credentials, region, service: "secretsmanager", now: sources.clock.now() };
  return { ...request, headers: signed(request, options) };
}

function accepted(answer: SecretAnswer, refuse: (reason: string) => Error) {
  const body = jsonAnswer(answer);
  if (answer.status !== 200) {
    const name = errorName(body?.__type ?? answer.headers.get("X-Amzn-Errortype"));
    throw refuse(awsMeaning(name) ?? statusText(answer.status, name));
  }
  if (body === undefined) throw refuse("its answer is no JSON");
  return body;
}

/** `com.amazonaws.secretsmanager#ResourceNotFoundException:http://…` is the middle of it (AWS JSON protocol, "Error"). */
function errorName(type: unknown): string {
  const text = String(type ?? "");
  return /^([\w.-]{1,64})(?=:|$)/.exec(text.slice(text.indexOf("#") + 1))?.[1] ?? "";
}

/** Names of a Worker's secrets are those that AWS's own tools use. */
export function credentialsOf(environment: SecretSources["environment"]): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

/** Domains of the partitions, by how their regions begin; the others are those of AWS itself. */
const PARTITIONS: readonly (readonly [string, string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["eusc-", "amazonaws.eu"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-iso-", "c2s.ic.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
];

/** Where a service of a region is. */
export function awsHost(region: string, service = "secretsmanager"): string {
  const [, domain = "amazonaws.com"] = PARTITIONS.find(([start]) => region.startsWith(start)) ?? [];
  return `${service}.${region}.${domain}`;
}
