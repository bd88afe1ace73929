import { json, startVendorServer, type VendorRequest, type VendorServer } from "./vendor-server.ts";

/** A secret: text, `binary`, or the error that asking for it brings. */
export type StandInSecret = { readonly text: string } | { readonly binary: string } | { readonly error: string };

export interface StandInSecretsManager extends VendorServer {
  /** By name, and by ARN. */
  readonly secrets: Map<string, StandInSecret>;
  /** Access key ids that are known. */
  readonly accessKeys: Set<string>;
  /** The requests' `Authorization` headers, the oldest first. */
  readonly authorizations: readonly string[];
}

/**
 * Stands in for AWS Secrets Manager, which cannot run here: `GetSecretValue` in its JSON protocol, version 1.1, with the
 * error answers of its API reference. Signatures are looked at, not verified.
 */
export async function startSecretsManager(): Promise<StandInSecretsManager> {
  const secrets = new Map<string, StandInSecret>();
  const accessKeys = new Set<string>();
  const authorizations: string[] = [];
  const server = await startVendorServer((request) => {
    const authorization = request.headers.get("Authorization") ?? "";
    authorizations.push(authorization);
    const key = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/[a-z0-9-]+\/secretsmanager\/aws4_request, /.exec(
      authorization,
    )?.[1];
    if (key === undefined) return failure("MissingAuthenticationTokenException");
    if (!accessKeys.has(key)) return failure("UnrecognizedClientException");
    if (request.headers.get("X-Amz-Target") !== "secretsmanager.GetSecretValue")
      return failure("UnknownOperationException");
    return getSecretValue(request, secrets);
  });
  return Object.assign(server, { secrets, accessKeys, authorizations });
}

function getSecretValue({ body }: VendorRequest, secrets: ReadonlyMap<string, StandInSecret>): Response {
  const { SecretId } = JSON.parse(body);
  const secret = secrets.get(SecretId);
  if (secret === undefined) return failure("ResourceNotFoundException");
  if ("error" in secret) return failure(secret.error);
  return amz(200, {
    ARN: `arn:aws:secretsmanager:us-east-2:123456789012:secret:${SecretId}-AbCdEf`,
    Name: SecretId,
    VersionId: "EXAMPLE1-90ab-cdef-fedc-ba987EXAMPLE",
    VersionStages: ["AWSCURRENT"],
    CreatedDate: 1_523_477_145.713,
    ...("text" in secret
      ? { SecretString: secret.text }
      : { SecretBinary: Buffer.from(secret.binary).toString("base64") }),
  });
}

export function failure(type: string, status = type.startsWith("Internal") ? 500 : 400): Response {
  return amz(status, { __type: type, Message: "User: arn:aws:iam::123456789012:user/app is not authorized" });
}

function amz(status: number, body: unknown): Response {
  return json(status, body, { "Content-Type": "application/x-amz-json-1.1" });
}
