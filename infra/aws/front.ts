import { createHash, timingSafeEqual } from "node:crypto";
import type { LambdaFunctionURLEvent } from "aws-lambda";

/** Proves that a request came through our CloudFront distribution, which adds it (D30). */
export const ORIGIN_HEADER = "x-countersign-origin";
/** The domain and the address that the distribution saw; it overwrites what a client sent under these names. */
export const VIEWER_HOST_HEADER = "x-countersign-viewer-host";
export const VIEWER_ADDRESS_HEADER = "x-countersign-viewer-address";
/** Environment variable with the value that `ORIGIN_HEADER` has to have. */
export const ORIGIN_SECRET_VARIABLE = "ORIGIN_SECRET";

const MINIMUM_SECRET_LENGTH = 16;

/** Who called, as far as it can be trusted. */
export interface Caller {
  readonly host: string;
  readonly remoteAddress: string | undefined;
}

/** What stands between the public domain and the function. */
export interface Front {
  /** Undefined: the request went around the front and is to be refused. */
  identify(event: LambdaFunctionURLEvent): Caller | undefined;
}

/**
 * With an origin secret, only requests that carry it are served, and the front's word on host and address counts. Without
 * one, nothing forwarded is believed: host and address are those of the Function URL itself.
 */
export function openFront(environment: Readonly<Record<string, string | undefined>>): Front {
  const secret = environment[ORIGIN_SECRET_VARIABLE];
  if (secret === undefined) return { identify: directCaller };
  if (secret.length < MINIMUM_SECRET_LENGTH) {
    throw new Error(`${ORIGIN_SECRET_VARIABLE} must have at least ${MINIMUM_SECRET_LENGTH} characters`);
  }
  const expected = digest(secret);
  return {
    identify(event) {
      if (!timingSafeEqual(digest(event.headers[ORIGIN_HEADER] ?? ""), expected)) return undefined;
      const direct = directCaller(event);
      return {
        host: event.headers[VIEWER_HOST_HEADER] ?? direct.host,
        remoteAddress: event.headers[VIEWER_ADDRESS_HEADER] ?? direct.remoteAddress,
      };
    },
  };
}

function directCaller(event: LambdaFunctionURLEvent): Caller {
  const { domainName, http } = event.requestContext;
  return { host: event.headers.host ?? domainName, remoteAddress: http.sourceIp };
}

/** Equal lengths, so that comparing tells nothing about the secret's. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
