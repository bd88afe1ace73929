import type { AcceptSocket, UpstreamSocket } from "../../lib/reverse-proxy/forward.ts";

/** The WebSocket of an upstream's answer, which nobody reads before it is tied to the client's. */
export class AnsweredSocket implements UpstreamSocket {
  readonly webSocket: WebSocket;

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket;
  }

  destroy(): void {
    this.webSocket.accept();
    this.webSocket.close();
  }
}

/**
 * Ties a client to an upstream, message by message. The platform speaks the protocol itself: it makes keys and extensions, answers
 * pings, and bounds the length of messages. It does not tell how fast a side takes them.
 */
export const acceptSocket: AcceptSocket = (upstream, headers) => {
  if (!(upstream instanceof AnsweredSocket)) throw new Error("the upstream's socket is of another runtime");
  const { 0: theirs, 1: ours } = new WebSocketPair();
  const sides = [ours, upstream.webSocket] as const;
  const over = sides.map(() => Promise.withResolvers<void>());
  for (const side of sides) side.accept();
  const [client, server] = sides;
  pass(client, server, () => over[0]?.resolve());
  pass(server, client, () => over[1]?.resolve());
  return {
    response: new Response(null, { status: 101, webSocket: theirs, headers: withoutHandshake(headers) }),
    end: (code, reason) => {
      for (const side of sides) close(side, code, reason);
      // Nobody has to wait for a side that does not answer.
      for (const { resolve } of over) resolve();
    },
    closed: Promise.all(over.map(({ promise }) => promise)).then(() => undefined),
  };
};

/** What of a message's headers the platform makes itself. */
export function withoutHandshake(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["accept", "extensions", "key", "version"]) kept.delete(`sec-websocket-${name}`);
  return kept;
}

function pass(from: WebSocket, to: WebSocket, ended: () => void): void {
  from.binaryType = "arraybuffer";
  from.addEventListener("message", ({ data }) => {
    if (to.readyState === WebSocket.OPEN) to.send(data as string | ArrayBuffer);
  });
  from.addEventListener("close", ({ code, reason }) => {
    close(to, code, reason);
    // Its own half of the handshake, where the platform has not sent it.
    close(from, code, reason);
    ended();
  });
  from.addEventListener("error", () => {
    close(to, BROKEN_OFF, "");
    ended();
  });
}

/** RFC 6455 section 7.4.1: what no frame may have, as it says that there was none, or none with a code. */
const NO_STATUS = 1005;
const ABNORMAL = 1006;
/** Internal error. */
const BROKEN_OFF = 1011;

function close(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === WebSocket.CLOSED) return;
  try {
    if (code === NO_STATUS) socket.close();
    else if (code === ABNORMAL) socket.close(BROKEN_OFF);
    else socket.close(code, reason);
  } catch {
    // It is closed already, or the code is none that the platform sends.
    socket.close();
  }
}
