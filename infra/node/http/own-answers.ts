import { type Server, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { ulid } from "../../../lib/kernel/ids.ts";
import type { Connections } from "./connections.ts";

/** Why the server answers instead of the application; each is the last part of the problem's `type`. */
export type OwnRefusal =
  | "malformed_request"
  | "plain_http"
  | "request_timeout"
  | "body_too_large"
  | "expectation_failed"
  | "headers_too_large"
  | "unavailable"
  | "internal";

interface OwnAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** For the log: the cause, the peer, and what an access log tells of a request that could be read. */
export interface RefusalCause {
  readonly cause: string;
  readonly remoteAddress?: string | undefined;
  readonly method?: string | undefined;
  /** Without its query, which may hold secrets. */
  readonly path?: string | undefined;
}

export type OwnAnswers = (refusal: OwnRefusal, cause: RefusalCause) => OwnAnswer;

/** Answers in the shape that errors of the application have (RFC 9457), each with an id of its own and a log entry. */
export function ownAnswers(
  { clock, random, logger }: Pick<Dependencies, "clock" | "random" | "logger">,
  publicURL: string,
  limits: { readonly headerBytes: number; readonly bodyBytes: () => number },
): OwnAnswers {
  const details: Readonly<Record<Exclude<OwnRefusal, "body_too_large">, string>> = {
    malformed_request: "The request is not valid HTTP.",
    plain_http: "This port speaks TLS: use https.",
    request_timeout: "The request did not arrive in time.",
    expectation_failed: "Only 100-continue can be expected.",
    headers_too_large: `The request line and the headers may have at most ${limits.headerBytes} bytes together.`,
    unavailable: "The process of the server that has to answer is being started. Try again in 1 s.",
    internal: "The request could not be completed.",
  };
  // The limit changes with the settings.
  const tooLarge = () =>
    `The body may have at most ${limits.bodyBytes()} bytes, and next to nothing between its chunks.`;
  return (refusal, cause) => {
    const now = clock.now();
    const requestId = ulid(now, random);
    const [status, title] = STATUS[refusal];
    logger.info("request refused", { requestId, status, ...cause });
    const body = JSON.stringify({
      type: `urn:countersign:problem:${refusal}`,
      title,
      status,
      detail: refusal === "body_too_large" ? tooLarge() : details[refusal],
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

/**
 * Answers a message that is no request, and closes the connection. The answer never replaces that of another request: a
 * pending answer is sent first, and an answer that has begun is not interrupted.
 */
export function answerClientErrors(server: Server, { latest }: Pick<Connections, "latest">, answers: OwnAnswers): void {
  const refused = new WeakSet<Duplex>();
  server.on("clientError", (error: NodeJS.ErrnoException & { readonly reason?: unknown }, connection) => {
    // Everything after the first mistake would be another mistake.
    if (refused.has(connection)) return;
    refused.add(connection);
    const { code = "unknown", reason } = error;
    const cause = typeof reason === "string" ? `${code}: ${reason}` : code;
    const refuse = () => {
      if (!connection.writable || code === "ECONNRESET") {
        connection.destroy();
        return;
      }
      const remoteAddress = connection instanceof Socket ? connection.remoteAddress : undefined;
      const answer = answers(REFUSALS[code] ?? "malformed_request", { cause, remoteAddress });
      connection.end(asText(answer), () => connection.destroy());
    };

    const response = latest(connection);
    if (response === undefined || response.writableFinished) refuse();
    else if (response.req.complete) response.once("close", refuse);
    else if (response.socket === connection && !response.headersSent) refuse();
    else connection.destroy();
  });
}

/** Milliseconds in which failed handshakes of one cause are one entry and a count. */
const COUNTED = 60_000;

/**
 * Logs failed handshakes, and answers a client that speaks plain HTTP in plain HTTP. Each handshake has an id and an entry
 * at debug level. Anybody can cause them, so that at info level the first of a cause is told at once and the others of that
 * minute by their number. A connection that just ends is told at debug level alone: load balancers probe ports that way.
 */
export function answerHandshakeErrors(
  server: Server,
  connections: Connections,
  answers: OwnAnswers,
  { clock, random, logger }: Pick<Dependencies, "clock" | "random" | "logger">,
): void {
  const more = new Map<string, number>();
  let telling: NodeJS.Timeout | undefined;
  const tellMore = () => {
    clearTimeout(telling);
    telling = undefined;
    for (const [cause, count] of more) if (count > 0) logger.info("more TLS handshakes failed", { cause, count });
    more.clear();
  };
  const log = (cause: string, remoteAddress: string | undefined) => {
    const before = more.get(cause);
    const isToldNow = before === undefined && cause !== "ECONNRESET";
    const requestId = ulid(clock.now(), random);
    logger[isToldNow ? "info" : "debug"]("TLS handshake failed", { requestId, cause, remoteAddress });
    if (cause === "ECONNRESET") return;
    more.set(cause, before === undefined ? 0 : before + 1);
    telling ??= setTimeout(tellMore, COUNTED).unref();
  };
  // Before Node's own listener, which would have it answered like a malformed request.
  server.prependListener("tlsClientError", ({ code = "unknown" }: NodeJS.ErrnoException, socket: TLSSocket) => {
    const { remoteAddress } = socket;
    if (code === "ERR_SSL_HTTP_REQUEST") {
      // It is an HTTP request, and has the log entry of one.
      connections.below(socket)?.end(asText(answers("plain_http", { cause: code, remoteAddress })));
    } else log(code, remoteAddress);
    socket.destroy();
  });
  server.once("close", tellMore);
}

const STATUS: Readonly<Record<OwnRefusal, readonly [status: number, title: string]>> = {
  malformed_request: [400, "Malformed request"],
  plain_http: [400, "TLS required"],
  request_timeout: [408, "Request timeout"],
  body_too_large: [413, "Body too large"],
  expectation_failed: [417, "Expectation failed"],
  headers_too_large: [431, "Headers too large"],
  unavailable: [503, "Service unavailable"],
  internal: [500, "Internal error"],
};

/** Codes of what Node finds in a connection; any other is a mistake in what was sent. */
const REFUSALS: Readonly<Record<string, OwnRefusal>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** The answer as it goes over the wire. */
function asText({ status, headers, body }: OwnAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}
