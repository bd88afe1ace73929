import { OutboundError } from "../../lib/net/outbound.ts";
import type { Forward, ForwardedAnswer, ForwardedRequest } from "../../lib/reverse-proxy/forward.ts";
import { AnsweredSocket, withoutHandshake } from "./sockets.ts";

/**
 * `forward` on Workers. The platform parses the path and sets `Host` to the URL's host, and connects to no link-local address and
 * no metadata service. A compressed body stays compressed while nobody reads it, and is compressed again for the client after
 * somebody did: either way `Content-Encoding` is true.
 */
const send = async (request: ForwardedRequest, carried: Request): Promise<ForwardedAnswer> => {
  const { method, origin, path, headers, signal, upgrade } = request;
  signal.throwIfAborted();
  try {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: upgrade ? askingForSocket(plainHeaders(headers)) : plainHeaders(headers),
      body: bodyOf(request, carried),
      redirect: "manual",
      signal,
      // The platform would keep files by the ends of their names, and give what one person was answered to others.
      cache: "no-store",
    });
    const { status, headers: told, body, webSocket } = answer;
    return { status, headers: told, body, ...(webSocket !== null && { socket: new AnsweredSocket(webSocket) }) };
  } catch (cause) {
    signal.throwIfAborted();
    throw new OutboundError("The upstream could not be reached.", { cause });
  }
};

/** The platform passes its own streams on without a look at each chunk. */
export const forward: Forward = Object.assign(send, { takesOwnStreams: true });

/** A list of fields as the platform takes it. */
function plainHeaders(headers: ForwardedRequest["headers"]): Headers {
  return new Headers([...headers].map(([name, value]) => [name, value]));
}

function askingForSocket(headers: Headers): Headers {
  const asking = withoutHandshake(headers);
  asking.set("Upgrade", "websocket");
  return asking;
}

/**
 * The client's own stream has the length that was declared; one that somebody has put before it has none, and would be sent in
 * chunks.
 */
function bodyOf({ body, length }: ForwardedRequest, carried: Request): ReadableStream<Uint8Array> | null {
  if (body === null || length === undefined || body === carried.body) return body;
  return length === 0 ? null : body.pipeThrough(new FixedLengthStream(length));
}
