import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { namesWebSocket } from "../../../lib/protocol/http/field-names.ts";
import type { AcceptSocket } from "../../../lib/reverse-proxy/forward.ts";
import type { Connections } from "./connections.ts";
import { type TiedSockets, tieSockets } from "./tied-sockets.ts";

/** Whether a web app answers at a target of a host. */
export type IsOfWebApp = (host: string, target: string) => boolean;

/** Requests that can become WebSockets. */
export interface Upgrades {
  /** What makes one of the request; undefined: it cannot become one. */
  of(incoming: IncomingMessage): Upgrade | undefined;
}

export interface Upgrade {
  readonly accept: AcceptSocket;
  /** To be called with the application's answer. True: the request became a WebSocket, and no answer of HTTP's follows. */
  begin(answer: Response): boolean;
}

/**
 * Whether the server gives up HTTP for a request: for a WebSocket of a web app alone. All others that name another protocol are
 * ordinary requests.
 */
export function isUpgrade({ method, url = "", headers }: IncomingMessage, isOfWebApp: IsOfWebApp): boolean {
  const { host, upgrade } = headers;
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  if (method !== "GET" || hasBody || !namesWebSocket(upgrade) || host === undefined) return false;
  const origin = `http://${host}`;
  return URL.canParse(origin) && isOfWebApp(new URL(origin).host, url);
}

/**
 * Has requests for WebSockets answered as all others are, by a response of their own on the connection, after which it ends. Those
 * that become one leave it.
 */
export function answerUpgrades(server: Server, { sockets }: Connections): Upgrades {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    // The server has taken its own listener off.
    socket.on("error", () => socket.destroy());
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    try {
      outgoing.assignSocket(socket as Socket);
    } catch {
      // The answer to a request before it is still on its way: nobody may ask for another protocol behind that.
      socket.destroy();
      return;
    }
    if (head.length > 0) socket.unshift(head);
    const over = () => void outgoing.emit("close");
    outgoing.once("finish", () => {
      outgoing.detachSocket(socket as Socket);
      socket.once("close", over);
      endSoon(socket);
    });
    upgrades.set(incoming, upgradeOf(outgoing, socket as Socket, over, sockets));
    sockets.set(outgoing, { end: () => undefined, destroy: () => socket.destroy() });
    server.emit("request", incoming, outgoing);
  });
  return { of: (incoming) => upgrades.get(incoming) };
}

function upgradeOf(
  outgoing: ServerResponse,
  socket: Socket,
  over: () => void,
  sockets: Connections["sockets"],
): Upgrade {
  let upstream: Duplex | undefined;
  let tied: TiedSockets | undefined;
  const { promise: closed, resolve } = Promise.withResolvers<void>();

  const destroy = (): void => {
    socket.destroy();
    upstream?.destroy();
  };
  return {
    accept: (opened, headers) => {
      if (!(opened instanceof Duplex)) throw new Error("the upstream's socket is of another runtime");
      upstream = opened;
      return {
        response: new Response(null, { headers }),
        end: (code, reason) => (tied === undefined ? destroy() : tied.end(code, reason)),
        closed,
      };
    },
    begin: ({ headers }) => {
      if (upstream === undefined) return false;
      outgoing.detachSocket(socket);
      socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE).setTimeout(0);
      socket.write(switching(headers), "latin1");
      tied = tieSockets(socket, upstream);
      const { end } = tied;
      sockets.set(outgoing, { end: () => end(GOING_AWAY, "The server is restarted."), destroy });
      void tied.closed.then(() => {
        over();
        resolve();
      });
      return true;
    },
  };
}

/** Milliseconds for a client that was refused to leave: with bytes of it unread, it might never see the answer. */
const LEAVING = 2_000;

function endSoon(socket: Duplex): void {
  const leaving = setTimeout(() => socket.destroy(), LEAVING);
  socket.once("close", () => clearTimeout(leaving));
  socket.resume().end();
}

/** Milliseconds after which a side that says nothing is asked whether it is still there. */
const KEEP_ALIVE = 60_000;

/** RFC 6455 section 7.4.1. */
const GOING_AWAY = 1001;

/** The answer as it goes over the wire. */
function switching(headers: Headers): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join("")}\r\n`;
}
