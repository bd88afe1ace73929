import { type EntryField, entryField, pickField } from "../field.ts";
import { secretFailure } from "../http.ts";
import { oneFlight } from "../one-flight.ts";
import { SecretError, type SecretProvider } from "../provider.ts";
import { parseProviderUrl } from "../provider-url.ts";

/** What the names of errors mean here; their messages hold accounts and paths of AWS and are not passed on. */
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

/** What an error of AWS means, with its name; undefined for one that is not known. */
export function awsMeaning(name: string): string | undefined {
  return Object.hasOwn(KNOWN, name) ? `${KNOWN[name]} (${name})` : undefined;
}

/** The secrets that `read` brings, whole texts, by the references of the documentation. */
export function awsSecrets(
  { scheme }: Pick<AwsUrl, "scheme">,
  read: (SecretId: string, reference: string) => Promise<string>,
): SecretProvider {
  const readOnce = oneFlight(read);
  return {
    async get(reference) {
      const place = awsEntry(reference);
      if (place === undefined) throw secretFailure(scheme, reference, "the ARN is not that of a secret");
      const picked = pickField(await readOnce(place.entry, reference), place.field);
      if ("value" in picked) return picked.value;
      throw secretFailure(scheme, reference, `the secret ${place.entry} ${picked.reason}`);
    },
  };
}

/** The error for a secret that is no text. */
export const BINARY = "it is binary; accepted: text";

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

/** A key of AWS; with a session token where it is a temporary one. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface AwsUrl {
  readonly scheme: string;
  readonly region: string;
  /** Absent: those of the runtime. */
  readonly credentials?: AwsCredentials;
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
