import type { LambdaFunctionURLEvent } from "aws-lambda";
import { equalSecrets } from "../../lib/kernel/equal-secrets.ts";

/** Proves that a request came through our CloudFront distribution, which adds it (D30). */
export const ORIGIN_HEADER = "x-countersign-origin";
/** The domain and the address that the distribution saw; it overwrites what a client sent under these names. */
export const VIEWER_HOST_HEADER = "x-countersign-viewer-host";
export const VIEWER_ADDRESS_HEADER = "x-countersign-viewer-address";
/** Environment variable with the value that `ORIGIN_HEADER` has to have; required, since the URL is open to everyone. */
export const ORIGIN_SECRET_VARIABLE = "ORIGIN_SECRET";

const MINIMUM_SECRET_LENGTH = 16;
const MAXIMUM_SECRETS = 2;

/** Who called, as far as it can be trusted. */
export interface Caller {
  readonly host: string;
  readonly remoteAddress: string | undefined;
}

/** What stands between the public domain and the function. */
export interface Front {
  /** Undefined: the request went around the front and is to be refused. */
  identify(event: LambdaFunctionURLEvent): Promise<Caller | undefined>;
}

/**
 * Only requests that carry the origin secret are served, and then the front's word on host and address counts. Function
 * and distribution never change at the same moment, so that a change goes through both secrets, `new,old`, on either side.
 * @throws Error when there is no secret, or one that can be guessed
 */
export function openFront(environment: Readonly<Record<string, string | undefined>>): Front {
  const secrets = (environment[ORIGIN_SECRET_VARIABLE] ?? "").split(",");
  if (secrets.some(({ length }) => length < MINIMUM_SECRET_LENGTH) || secrets.length > MAXIMUM_SECRETS) {
    throw new Error(
      `${ORIGIN_SECRET_VARIABLE} must have at least ${MINIMUM_SECRET_LENGTH} characters; accepted: one, or two with a comma in between`,
    );
  }
  return {
    async identify({ headers, requestContext }) {
      const shown = (headers[ORIGIN_HEADER] ?? "").split(",", MAXIMUM_SECRETS);
      const pairs = shown.flatMap((one) => secrets.map((secret) => equalSecrets(one, secret)));
      if (!(await Promise.all(pairs)).includes(true)) return undefined;
      return {
        host: headers[VIEWER_HOST_HEADER] ?? headers.host ?? requestContext.domainName,
        remoteAddress: headers[VIEWER_ADDRESS_HEADER] ?? requestContext.http.sourceIp,
      };
    },
  };
}
