import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The connections of a server, and what runs on them. */
export interface Connections {
  /** Responses that are not finished. */
  readonly running: Iterable<ServerResponse>;
  /** Of these, the ones that are event streams. */
  readonly streams: WeakSet<object>;
  /** What ends a WebSocket, by the response of the request that it began with; it is one of those that run. */
  readonly sockets: Map<ServerResponse, EndableSocket>;
  /** A request arrived. */
  began(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** The response to the latest request of a connection. */
  latest(connection: Duplex): ServerResponse | undefined;
  /** TCP connections on which no request has arrived so far. */
  unused(): Iterable<Socket>;
  /** The TCP connection below a TLS connection on which no request has arrived so far. */
  below(connection: Socket): Socket | undefined;
}

export interface EndableSocket {
  /** Tells both sides that the server goes away; they have a few seconds to close. Of effect once. */
  end(): void;
  destroy(): void;
}

export function trackConnections(server: Server): Connections {
  const running = createSlots<ServerResponse>();
  const streams = new WeakSet<object>();
  const sockets = new Map<ServerResponse, EndableSocket>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  const unused = new Map<string, Socket>();
  server.on("connection", (socket) => {
    const ends = endsOf(socket);
    unused.set(ends, socket);
    socket.once("close", () => {
      if (unused.get(ends) === socket) unused.delete(ends);
    });
  });
  return {
    running,
    streams,
    sockets,
    began: ({ socket }, outgoing) => {
      if (!latest.has(socket)) unused.delete(endsOf(socket));
      latest.set(socket, outgoing);
      const leave = running.put(outgoing);
      outgoing.once("close", () => {
        leave();
        sockets.delete(outgoing);
      });
    },
    latest: (connection) => latest.get(connection),
    unused: () => unused.values(),
    below: (connection) => unused.get(endsOf(connection)),
  };
}

/**
 * Things that come and go. A `Set` leaves a chain of outgrown tables behind where so many do: once one of them is old, all that they
 * ever held is old until a full collection.
 */
function createSlots<T>(): Iterable<T> & { readonly put: (value: T) => () => void } {
  const slots: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    put: (value) => {
      const slot = free.pop() ?? slots.length;
      slots[slot] = value;
      return () => {
        slots[slot] = undefined;
        free.push(slot);
      };
    },
    *[Symbol.iterator]() {
      for (const value of slots) if (value !== undefined) yield value;
    },
  };
}

/** The same for a TLS connection and the TCP connection below it. */
function endsOf({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}
