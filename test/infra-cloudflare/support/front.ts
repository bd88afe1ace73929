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

export async function openFront(): Promise<Front> {
  let target: number | undefined;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, "127.0.0.1");
    join(client, upstream, open);
    join(upstream, client, open);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
 * What one side sends goes to the other; when one side is gone, so is the other. It is reset, not closed: workerd takes an
 * end of input for a client that has said everything and only a reset for one that left.
 */
function join(from: Socket, to: Socket, open: Set<Socket>): void {
  open.add(from);
  from.setNoDelay(true);
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => {
    open.delete(from);
    to.resetAndDestroy();
  });
}
