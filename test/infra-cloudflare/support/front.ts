import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A loopback port that is known before what answers behind it. */
export interface Front {
  /** Without trailing slash. */
  readonly url: string;
  /** Passes every byte on as it comes, in both directions. */
  forwardTo(port: number): void;
  close(): Promise<void>;
}

/** @param host what its URL calls the loopback address */
export async function openFront(host = "127.0.0.1"): Promise<Front> {
  let target: number | undefined;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("close", () => open.delete(socket));
    }
    passRequests(client, upstream);
    passAnswers(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    forwardTo: (port) => {
      target = port;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/**
 * When the client is gone, so is the connection behind it. It is reset, not closed: workerd takes an end of input for a
 * client that has said everything and only a reset for one that left.
 */
function passRequests(client: Socket, upstream: Socket): void {
  client.on("data", (piece) => {
    if (!upstream.writable) return;
    // An answer that is there already has to be read before the next write, which may fail and take it away.
    client.pause();
    upstream.write(piece, () => setImmediate(() => client.resume()));
  });
  client.on("end", () => upstream.end());
  client.on("error", () => upstream.destroy());
  client.on("close", () => upstream.resetAndDestroy());
}

/**
 * What was answered reaches the client although workerd hung up, as it does on a request that it answered without reading
 * it all: what the client still sends is for nobody.
 */
function passAnswers(upstream: Socket, client: Socket): void {
  upstream.pipe(client, { end: false });
  // Every error ends in `close`.
  upstream.on("error", () => undefined);
  upstream.on("close", () => {
    client.resume();
    client.end();
  });
}
