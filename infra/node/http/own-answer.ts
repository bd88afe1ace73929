import type { Dependencies } from "../../../lib/dependencies.ts";
import { ulid } from "../../../lib/ids.ts";

/** Why this server answers by itself instead of the application; each is the last part of the problem's `type`. */
export type OwnRefusal =
  | "malformed_request"
  | "plain_http"
  | "request_timeout"
  | "body_too_large"
  | "expectation_failed"
  | "headers_too_large"
  | "internal";

export interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** For the log: the cause, never with anything of what was sent, and the peer. */
export interface RefusalCause {
  readonly cause: string;
  readonly remoteAddress?: string | undefined;
}

export type OwnAnswers = (refusal: OwnRefusal, cause: RefusalCause) => OwnAnswer;

/** Answers in the shape that errors of the application have (RFC 9457), each with an id of its own and a log entry. */
export function ownAnswers(
  { clock, random, logger }: Pick<Dependencies, "clock" | "random" | "logger">,
  publicURL: string,
  limits: { readonly headerBytes: number; readonly bodyBytes: number },
): OwnAnswers {
  const details: Readonly<Record<OwnRefusal, string>> = {
    malformed_request: "The request is not valid HTTP.",
    plain_http: "This port speaks TLS: use https.",
    request_timeout: "The request did not arrive in time.",
    body_too_large: `The body may have at most ${limits.bodyBytes} bytes, and next to nothing between its chunks.`,
    expectation_failed: "Only 100-continue can be expected.",
    headers_too_large: `The request line and the headers may have at most ${limits.headerBytes} bytes together.`,
    internal: "The request could not be completed.",
  };
  return (refusal, cause) => {
    const now = clock.now();
    const requestId = ulid(now, random);
    const [status, title] = STATUS[refusal];
    logger.info("request refused", { requestId, status, ...cause });
    const body = JSON.stringify({
      type: `urn:countersign:problem:${refusal}`,
      title,
      status,
      detail: details[refusal],
      instance: `urn:countersign:request:${requestId}`,
    });
    const headers = {
      Date: new Date(now).toUTCString(),
      "Content-Type": "application/problem+json",
      "Content-Length": String(Buffer.byteLength(body)),
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      ...(publicURL.startsWith("https:") && { "Strict-Transport-Security": "max-age=31536000; includeSubDomains" }),
      // Where the next request would begin is not known for certain.
      Connection: "close",
    };
    return { status, headers, body };
  };
}

const STATUS: Readonly<Record<OwnRefusal, readonly [status: number, title: string]>> = {
  malformed_request: [400, "Malformed request"],
  plain_http: [400, "TLS required"],
  request_timeout: [408, "Request timeout"],
  body_too_large: [413, "Body too large"],
  expectation_failed: [417, "Expectation failed"],
  headers_too_large: [431, "Headers too large"],
  internal: [500, "Internal error"],
};
