import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { AwsCredentials } from "./secrets-manager.ts";

/** A request as it will be sent. */
export interface AwsRequest {
  readonly method: "GET" | "POST";
  /** Its path has no `%` and no `.` segment. A query is not supported: no operation here has one. */
  readonly url: URL;
  /** Without `Host`, which is the URL's, and without what signing adds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SigningOptions {
  readonly credentials: AwsCredentials;
  readonly region: string;
  /** As its endpoints are called: `secretsmanager`. */
  readonly service: string;
  /** Milliseconds since the epoch. AWS accepts five minutes more or less. */
  readonly now: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const encoder = new TextEncoder();

/** The request's headers with those that prove who sends it (AWS Signature Version 4, "Create a signed request"). */
export function signed(
  { method, url, headers, body }: AwsRequest,
  { credentials, region, service, now }: SigningOptions,
): Readonly<Record<string, string>> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const date = time.slice(0, 8);
  const sent = {
    ...headers,
    "X-Amz-Date": time,
    ...(sessionToken !== undefined && { "X-Amz-Security-Token": sessionToken }),
  };
  const canonical = Object.entries({ ...sent, Host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, " ")] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const names = canonical.map(([name]) => name).join(";");
  const lines = canonical.map(([name, value]) => `${name}:${value}\n`).join("");
  const request = [method, url.pathname, "", lines, names, hex(sha256(encoder.encode(body)))].join("\n");
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = [ALGORITHM, time, scope, hex(sha256(encoder.encode(request)))].join("\n");
  let key: Uint8Array = encoder.encode(`AWS4${secretAccessKey}`);
  for (const part of [date, region, service, "aws4_request", toSign]) key = hmac(sha256, key, encoder.encode(part));
  const Authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${hex(key)}`;
  return { ...sent, Authorization };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
