import { createHash, createHmac } from "node:crypto";
import type { ServerOptions } from "node:https";
import { json, startVendorServer, type VendorRequest, type VendorServer } from "./vendor-server.ts";

/** A secret: text, `binary`, or the error that asking for it brings. */
export type StandInSecret = { readonly text: string } | { readonly binary: string } | { readonly error: string };

export interface StandInSecretsManager extends VendorServer {
  /** By name, and by ARN. */
  readonly secrets: Map<string, StandInSecret>;
  /** Secret access keys by access key id. */
  readonly accessKeys: Map<string, string>;
  /** The requests' `Authorization` headers, the oldest first. */
  readonly authorizations: readonly string[];
}

/**
 * Stands in for AWS Secrets Manager, which cannot run here: `GetSecretValue` in its JSON protocol, version 1.1, with the
 * error answers of its API reference. Signatures are verified; that it verifies them as AWS does is shown by AWS's own
 * client, which it serves as well.
 */
export async function startSecretsManager(tls?: ServerOptions): Promise<StandInSecretsManager> {
  const secrets = new Map<string, StandInSecret>();
  const accessKeys = new Map<string, string>();
  const authorizations: string[] = [];
  const server = await startVendorServer((request) => {
    const authorization = request.headers.get("Authorization") ?? "";
    authorizations.push(authorization);
    const claimed = claims(authorization);
    if (claimed === undefined) return failure("MissingAuthenticationTokenException");
    const secretKey = accessKeys.get(claimed.key);
    if (secretKey === undefined) return failure("UnrecognizedClientException");
    if (claimed.service !== "secretsmanager" || !isSigned(request, claimed, secretKey))
      return failure("InvalidSignatureException");
    if (request.headers.get("X-Amz-Target") !== "secretsmanager.GetSecretValue")
      return failure("UnknownOperationException");
    return getSecretValue(request, secrets);
  }, tls);
  return Object.assign(server, { secrets, accessKeys, authorizations });
}

/** Whether a request to a service of AWS is signed with the key of this id. */
export function isSignedBy(request: VendorRequest, service: string, keyId: string, secretKey: string): boolean {
  const claimed = claims(request.headers.get("Authorization") ?? "");
  return claimed?.service === service && claimed.key === keyId && isSigned(request, claimed, secretKey);
}

interface Claims {
  readonly key: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly names: readonly string[];
  readonly signature: string;
}

function claims(authorization: string): Claims | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
  const [, key, date, region, service, names, signature] = form.exec(authorization) ?? [];
  if (!key || !date || !region || !service || !names || !signature) return undefined;
  return { key, date, region, service, names: names.split(";"), signature };
}

/** Milliseconds that a signature may be old, or ahead. */
const SKEW = 5 * 60_000;

/** AWS Signature Version 4, from its end: host and every `x-amz-` header are signed, in order, and a short while ago. */
function isSigned({ method, path, headers, body }: VendorRequest, claimed: Claims, secretKey: string): boolean {
  const { date, region, service, names, signature } = claimed;
  const time = headers.get("X-Amz-Date") ?? "";
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)T(..)(..)(..)Z$/.exec(time) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(at - Date.now()) < SKEW) || !time.startsWith(date)) return false;
  const needed = ["host", ...[...headers.keys()].filter((name) => name.startsWith("x-amz-"))];
  if (!needed.every((name) => names.includes(name)) || names.join() !== [...names].sort().join()) return false;
  const sha = (text: string) => createHash("sha256").update(text).digest("hex");
  const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const lines = names.map((name) => `${name}:${headers.get(name)}\n`).join("");
  const [resource, query = ""] = path.split("?");
  const canonical = [method, resource, query, lines, names.join(";"), sha(body)].join("\n");
  const scope = [date, region, service, "aws4_request"];
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>(mac, `AWS4${secretKey}`);
  return mac(key, toSign).toString("hex") === signature;
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
