import { SecretError } from "../provider.ts";
import { parseProviderUrl } from "../provider-url.ts";

export interface AwsUrl {
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
