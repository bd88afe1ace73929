import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { RemoteAddressOf } from "./application.ts";
import type { Connections } from "./connections.ts";
import type { OwnAnswers, OwnRefusal } from "./own-answer.ts";

export interface RequestOptions {
  readonly connections: Connections;
  readonly answers: OwnAnswers;
  readonly remoteAddress: RemoteAddressOf;
  /** Bytes that a request may announce as its body. */
  readonly bodyBytes: number;
}

/** Hands every request to the listener except those that are refused by their headers alone. */
export function answerRequests(server: Server, listener: RequestListener, options: RequestOptions): void {
  const { connections, answers, remoteAddress, bodyBytes } = options;
  const refuse = (refusal: OwnRefusal, cause: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { status, headers, body } = answers(refusal, { cause, remoteAddress: remoteAddress(incoming) });
    outgoing.writeHead(status, headers).end(body);
  };
  server.on("request", (incoming, outgoing) => {
    connections.began(incoming, outgoing);
    if (tooLarge(incoming, bodyBytes)) refuse("body_too_large", "announced body", incoming, outgoing);
    else listener(incoming, outgoing);
  });
  server.on("checkExpectation", (incoming, outgoing) => {
    connections.began(incoming, outgoing);
    refuse("expectation_failed", "unknown expectation", incoming, outgoing);
  });
}

/** Endpoints have closer limits of their own, for bodies of any length; this one spares them the reading. */
function tooLarge(incoming: IncomingMessage, limit: number): boolean {
  return Number(incoming.headers["content-length"] ?? 0) > limit;
}
