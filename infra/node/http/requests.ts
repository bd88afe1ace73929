import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { RemoteAddressOf } from "./application.ts";
import { DISCARDED } from "./application.ts";
import { type Arrivals, continueWhenRead } from "./arrivals.ts";
import type { Connections } from "./connections.ts";
import type { OwnAnswers, OwnRefusal } from "./own-answers.ts";

export interface RequestOptions {
  readonly connections: Connections;
  readonly answers: OwnAnswers;
  readonly remoteAddress: RemoteAddressOf;
  readonly arrivals: Arrivals;
  /** Bytes that a request may announce as its body. */
  readonly bodyBytes: () => number;
}

/** Hands every request to the listener except those that are refused by their headers alone. */
export function answerRequests(server: Server, listener: RequestListener, options: RequestOptions): void {
  const { connections, answers, remoteAddress, arrivals, bodyBytes } = options;
  const refuse = (refusal: OwnRefusal, cause: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { status, headers, body } = answers(refusal, {
      cause,
      remoteAddress: remoteAddress(incoming),
      method: incoming.method,
      path: incoming.url?.split("?", 1)[0],
    });
    const { Connection, ...kept } = headers;
    outgoing.writeHead(status, isReadToItsEnd(incoming) ? kept : headers).end(body);
  };
  server.on("request", (incoming, outgoing) => {
    connections.began(incoming, outgoing);
    arrivals.began(incoming);
    if (namesTwoHosts(incoming)) refuse("malformed_request", "more than one Host", incoming, outgoing);
    else if (targetsAnotherHost(incoming)) refuse("malformed_request", "a target of another host", incoming, outgoing);
    else if (tooLarge(incoming, bodyBytes())) refuse("body_too_large", "announced body", incoming, outgoing);
    else listener(incoming, outgoing);
  });
  server.on("checkContinue", (incoming, outgoing) => {
    continueWhenRead(incoming, outgoing);
    server.emit("request", incoming, outgoing);
  });
  server.on("checkExpectation", (incoming, outgoing) => {
    connections.began(incoming, outgoing);
    refuse("expectation_failed", "unknown expectation", incoming, outgoing);
  });
}

/**
 * A request with `Host` twice is malformed (RFC 9112 section 3.2): who reads the other one takes it for another host's. Node
 * keeps the first.
 */
function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

/**
 * A target with an authority of its own (RFC 9112 section 3.2.2) that is not the `Host`. A proxy may let the target win; here
 * nobody has to ask which of both another reader takes.
 */
function targetsAnotherHost({ url = "", headers }: IncomingMessage): boolean {
  if (url.startsWith("/")) return false;
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  return authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase();
}

/**
 * Whether the rest of a request is read when its answer is out. Closing the connection while the client still sends would
 * lose the answer (RFC 9112 section 9.6).
 */
function isReadToItsEnd({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return length !== undefined && headers.expect === undefined && Number(length) <= DISCARDED;
}

/** Endpoints have closer limits of their own, for bodies of any length; this one spares them the reading. */
function tooLarge(incoming: IncomingMessage, limit: number): boolean {
  return Number(incoming.headers["content-length"] ?? 0) > limit;
}
