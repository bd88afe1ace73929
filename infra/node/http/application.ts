import type { IncomingMessage, RequestListener } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { Application } from "../../../functions/routes.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import { type Origin, remoteAddressReader } from "../../../lib/net/remote-address.ts";
import type { Connections } from "./connections.ts";
import { discardRest } from "./discard.ts";
import type { OwnAnswers } from "./own-answer.ts";

/** Who a request comes from. */
export type RemoteAddressOf = (incoming: Pick<IncomingMessage, "headers" | "socket">) => string | undefined;

/** @param trustedProxies addresses and networks whose word is taken for it */
export function remoteAddressOf(trustedProxies: readonly string[]): RemoteAddressOf {
  const read = remoteAddressReader(trustedProxies);
  return ({ socket, headers }) =>
    read({ peer: socket.remoteAddress, forwardedFor: text(headers["x-forwarded-for"]), forwarded: headers.forwarded });
}

export interface ApplicationOptions {
  readonly application: Application;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly answers: OwnAnswers;
  readonly connections: Pick<Connections, "streams">;
  readonly remoteAddress: RemoteAddressOf;
}

/** Hands requests to the application, and takes note of which answers are event streams. */
export function applicationListener(options: ApplicationOptions): RequestListener {
  const { application, waitUntil, answers, connections, remoteAddress } = options;
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const response = await application(request, { remoteAddress: remoteAddress(incoming), waitUntil });
      if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) connections.streams.add(outgoing);
      return response;
    },
    {
      errorHandler: (error) => refuseRequest(error, answers),
      // It closes the connection half a second after an answer to a body that nobody read to its end, under whatever
      // request is then running.
      autoCleanupIncoming: false,
    },
  );
  return (incoming, outgoing) => {
    discardRest(incoming, outgoing);
    return listener(incoming, outgoing);
  };
}

/** Mostly a request whose target or `Host` makes no URL: the application answers its own errors. */
function refuseRequest(error: unknown, answers: OwnAnswers): Response {
  const refusal = error instanceof RequestError ? "malformed_request" : "internal";
  const { status, headers, body } = answers(refusal, { cause: causeOf(error) });
  return new Response(body, { status, headers });
}

/** Node joins all values of a field. */
function text(value: string | string[] | undefined): Origin["forwardedFor"] {
  return Array.isArray(value) ? value.join(", ") : value;
}
