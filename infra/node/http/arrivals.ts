import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** The bodies of requests, while they arrive. */
export interface Arrivals {
  /** A request arrived, and its body begins to. */
  began(incoming: IncomingMessage): void;
  /** Its body is carried on: from now on it may take any time, as long as it is not silent. */
  streams(incoming: IncomingMessage): void;
}

/** Looks at a body within the time that it has; one that is carried on is silent for up to one look longer. */
const LOOKS = 4;

/**
 * Ends requests whose bodies do not arrive in time, as the server itself does with headers: it knows one limit for all bodies, and
 * a file that is uploaded for an hour is nothing to end.
 * @param within milliseconds for a whole body, and for the silence in one that is carried on
 */
export function watchArrivals(server: Server, within: number): Arrivals {
  const arriving = new WeakMap<IncomingMessage, Arriving>();
  const end = (incoming: IncomingMessage) => server.emit("clientError", new RequestTimeout(), incoming.socket);
  return {
    began: (incoming) => {
      if (!hasBody(incoming)) return;
      const body: Arriving = { looks: 0, heard: incoming.socket.bytesRead, isStreamed: false };
      arriving.set(incoming, body);
      const looking = setInterval(() => {
        const isOver = incoming.complete || incoming.destroyed;
        if (!isOver && !isOverdue(body, incoming)) return;
        clearInterval(looking);
        if (!isOver) end(incoming);
      }, within / LOOKS).unref();
      incoming.once("close", () => clearInterval(looking));
    },
    streams: (incoming) => {
      const body = arriving.get(incoming);
      if (body !== undefined) Object.assign(body, { looks: 0, isStreamed: true });
    },
  };
}

interface Arriving {
  /** Since it began, or since something was heard of it. */
  looks: number;
  /** Bytes of its connection by then. */
  heard: number;
  isStreamed: boolean;
}

/** Looks once more. Of a body that nobody reads right now, nothing can be heard. */
function isOverdue(body: Arriving, incoming: IncomingMessage): boolean {
  const { bytesRead } = incoming.socket;
  const isHeard = bytesRead > body.heard || incoming.isPaused();
  body.heard = bytesRead;
  body.looks = body.isStreamed && isHeard ? 0 : body.looks + 1;
  return body.looks >= LOOKS;
}

/**
 * Asks for a body when somebody begins to read it (RFC 9110 section 10.1.1): whoever is refused before need not send it. Whether
 * the client does nevertheless is not known, so that its connection ends with such an answer.
 */
export function continueWhenRead(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.setHeader("Connection", "close");
  incoming.once("resume", () => {
    if (outgoing.headersSent || outgoing.destroyed) return;
    outgoing.removeHeader("Connection");
    outgoing.writeContinue();
  });
}

/** With the code that Node has for it. */
class RequestTimeout extends Error {
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
