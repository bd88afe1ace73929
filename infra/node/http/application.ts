import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { HostRequest } from "../../../functions/env.ts";
import type { Application } from "../../../functions/routes.ts";
import { causeOf } from "../../../lib/logging/cause.ts";
import type { AnswerInPieces } from "../../../lib/net/outbound.ts";
import { type Origin, remoteAddressReader } from "../../../lib/net/remote-address.ts";
import type { ClientFields } from "../../../lib/reverse-proxy/request-headers.ts";
import { passedOn } from "../net/dispatched-answer.ts";
import type { Arrivals } from "./arrivals.ts";
import type { Connections } from "./connections.ts";
import type { OwnAnswers, RefusalCause } from "./own-answers.ts";
import type { Upgrades } from "./upgrade.ts";

type Arrived = Pick<IncomingMessage, "headers" | "socket" | "method">;

/** Who a request comes from. */
export type RemoteAddressOf = (incoming: Pick<Arrived, "headers" | "socket">) => string | undefined;

/**
 * @param trustedProxies addresses and networks whose word is taken for it
 * @param noteProxy called once, with the first peer that speaks for others and whom nobody said to believe
 */
export function remoteAddressOf(
  trustedProxies: readonly string[],
  noteProxy: (peer: string | undefined) => void = () => undefined,
): RemoteAddressOf {
  const read = remoteAddressReader(trustedProxies);
  let isNoted = trustedProxies.length > 0;
  return ({ socket, headers }) => {
    const { "x-forwarded-for": forwardedFor, forwarded } = headers;
    if (!isNoted && (forwardedFor !== undefined || forwarded !== undefined)) {
      isNoted = true;
      noteProxy(socket.remoteAddress);
    }
    return read({ peer: socket.remoteAddress, forwardedFor: text(forwardedFor), forwarded });
  };
}

export interface ApplicationOptions {
  readonly application: Application;
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly answers: OwnAnswers;
  readonly connections: Pick<Connections, "streams">;
  readonly remoteAddress: RemoteAddressOf;
  readonly arrivals: Pick<Arrivals, "streams">;
  /** Milliseconds in which a client takes some of an answer that is passed on. */
  readonly silence: number;
  /** Absent: no request becomes a WebSocket. */
  readonly upgrades?: Upgrades;
}

/** Hands requests to the application, and takes note of which answers are event streams. */
export function applicationListener(options: ApplicationOptions): RequestListener {
  const { application, waitUntil, answers, connections, remoteAddress, arrivals, silence, upgrades } = options;
  const refuse = (error: unknown, incoming: Arrived | undefined) =>
    refuseRequest(error, answers, {
      method: incoming?.method,
      remoteAddress: incoming === undefined ? undefined : remoteAddress(incoming),
    });
  /** The request that is being made of what arrived: only then, and within one turn, can it prove to be none. */
  let arriving: Arrived | undefined;
  const listener = getRequestListener(
    async (request, exchange) => {
      // The server speaks HTTP/1.1 alone.
      const { incoming, outgoing } = exchange as { incoming: IncomingMessage; outgoing: ServerResponse };
      const upgrade = upgrades?.of(incoming);
      let isCarried = false;
      const host: HostRequest = {
        remoteAddress: remoteAddress(incoming),
        waitUntil,
        target: incoming.url ?? "",
        fields: () => fieldsOf(incoming),
        streamsBody: () => arrivals.streams(incoming),
        passesOn: (answer) => {
          isCarried = true;
          if (!answer.headers.has("Content-Type")) withoutContentType(outgoing);
          if (answer.pieces !== undefined) return passedOn(answer, answer.pieces);
          return new Response(answer.body as ReadableStream | null, answer);
        },
        ...(upgrade !== undefined && { acceptSocket: upgrade.accept }),
      };
      const response = await application(request, host).catch((error: unknown) => refuse(error, incoming));
      // The connection is not HTTP's any more: no answer follows.
      if (upgrade?.begin(response)) return RESPONSE_ALREADY_SENT;
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream") === true;
      if (isStream) connections.streams.add(outgoing);
      if (isInPieces(response)) {
        await sendInPieces(response, outgoing, silence);
        return RESPONSE_ALREADY_SENT;
      }
      const isLong = !isStream && response.headers.get("X-Accel-Buffering") === "no";
      return isCarried || isLong ? breakingOff(response, outgoing) : response;
    },
    {
      errorHandler: (error) => refuse(error, arriving),
      // It closes the connection half a second after an answer to a body that nobody read to its end, under whatever
      // request is then running.
      autoCleanupIncoming: false,
    },
  );
  return (incoming, outgoing) => {
    discardRest(incoming, outgoing);
    arriving = incoming;
    try {
      return listener(incoming, outgoing);
    } finally {
      arriving = undefined;
    }
  };
}

/** The headers as Node has them; undefined where several of a name were sent, which Node does not join as `Headers` does. */
function fieldsOf({ headers, rawHeaders }: IncomingMessage): ClientFields | undefined {
  const fields = Object.entries(headers) as [name: string, value: string][];
  if (fields.length * 2 !== rawHeaders.length || headers["set-cookie"] !== undefined) return undefined;
  return {
    get: (name) => fields.find(([field]) => field === name.toLowerCase())?.[1] ?? null,
    [Symbol.iterator]: () => fields[Symbol.iterator](),
  };
}

type ResponseInPieces = Response & Required<AnswerInPieces>;

/** Whatever else somebody made of it has a stream. */
function isInPieces(response: Response & AnswerInPieces): response is ResponseInPieces {
  return response.pieces !== undefined;
}

/** Sends the head with the first piece, if that is there, and each further one when its client takes it. */
async function sendInPieces(
  { status, headers, pieces }: ResponseInPieces,
  outgoing: ServerResponse,
  silence: number,
): Promise<void> {
  const leave = (): void => void pieces.cancel();
  if (outgoing.destroyed) return leave();
  outgoing.once("close", leave);
  outgoing.writeHead(status, [...headers].flat());
  const flushing = setImmediate(() => outgoing.flushHeaders());
  try {
    for (;;) {
      const piece = await pieces.read();
      clearImmediate(flushing);
      if (piece === undefined) break;
      if (!outgoing.write(piece)) await takenOrClosed(outgoing, silence);
    }
    outgoing.end();
  } catch {
    outgoing.destroy();
  } finally {
    clearImmediate(flushing);
    outgoing.off("close", leave);
  }
}

/**
 * The client has taken what was written, or is gone. One that takes nothing for so long is cut off: for a socket, a part of what
 * waits is a sign of life.
 */
function takenOrClosed(outgoing: ServerResponse, silence: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = (): void => void outgoing.destroy();
    const go = (): void => {
      outgoing.off("drain", go).off("close", go).off("timeout", cut).setTimeout(0);
      resolve();
    };
    outgoing.on("drain", go).on("close", go).setTimeout(silence, cut);
  });
}

/**
 * A long answer that may break off: the connection does then, which is how its client learns of it. The server would also print the
 * error, past the log, as often as an upstream likes.
 */
function breakingOff(response: Response, outgoing: { destroy(): unknown }): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch {
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

/** Takes out the type that the server adds to answers without one: an upstream's client has to find none, too. */
function withoutContentType(outgoing: ServerResponse): void {
  const { writeHead } = outgoing;
  outgoing.writeHead = (status: number, given?: unknown) => {
    if (Array.isArray(given)) return writeHead.call(outgoing, status, given);
    const headers = Object.entries((given ?? {}) as OutgoingHttpHeaders);
    const kept = headers.filter(([name]) => name.toLowerCase() !== "content-type");
    return writeHead.call(outgoing, status, Object.fromEntries(kept));
  };
}

/** Bytes of an unwanted request body that are read and discarded. */
export const DISCARDED: number = 16 * 1024 * 1024;

/**
 * Reads the rest of a request after its answer was sent. Closing the connection while the client still sends would lose the
 * answer (RFC 9112 §9.6). Closing it later without notice would lose the answer to another request. A client that sends too
 * much is cut off. For a silent client the server's request timeout applies.
 */
function discardRest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => {
    if (incoming.readableEnded) return;
    let length = 0;
    // A web stream around it, of which nobody reads any more, would pause it for ever.
    incoming.removeAllListeners("data");
    const discard = (piece: Uint8Array) => {
      length += piece.byteLength;
      if (length <= DISCARDED) return;
      incoming.off("data", discard);
      incoming.socket.destroySoon();
    };
    incoming.on("data", discard);
    incoming.resume();
  });
}

/** Refuses a request whose target or `Host` is no URL. The application answers its own errors. */
function refuseRequest(error: unknown, answers: OwnAnswers, from: Omit<RefusalCause, "cause">): Response {
  const refusal = error instanceof RequestError ? "malformed_request" : "internal";
  const { status, headers, body } = answers(refusal, { cause: causeOf(error), ...from });
  return new Response(body, { status, headers });
}

/** Node joins all values of a field. */
function text(value: string | string[] | undefined): Origin["forwardedFor"] {
  return Array.isArray(value) ? value.join(", ") : value;
}
