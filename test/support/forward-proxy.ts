import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** What somebody asked a proxy for. */
export interface ProxyRequest {
  readonly method: string;
  /** `host:port` of CONNECT, else the absolute URL. */
  readonly target: string;
  readonly authorization: string | undefined;
}

export interface ForwardProxy {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ProxyRequest[];
  stop(): Promise<void>;
}

/**
 * A proxy on loopback that finds every host on this machine.
 *
 * @param tunnelPort where tunnels lead; unless given, to the port that was asked for
 */
export async function startProxy(tunnelPort?: number): Promise<ForwardProxy> {
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    record(incoming.method, incoming.url, incoming.headers);
    const { port, pathname, search } = new URL(incoming.url ?? "");
    const options = { port, path: `${pathname}${search}`, method: incoming.method, headers: incoming.headers };
    const onward = request({ host: "127.0.0.1", ...options }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket: Socket) => {
    record("CONNECT", incoming.url, incoming.headers);
    const onward = connect(tunnelPort ?? Number(incoming.url?.split(":").at(-1)), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const [end, other] of [[socket, onward] as const, [onward, socket] as const]) {
      end.on("error", () => undefined);
      // Also without an error: who is left waits two minutes for the rest of a handshake.
      end.on("close", () => other.destroy());
    }
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const record = (method = "", target = "", headers: NodeJS.Dict<string | string[]>) =>
    requests.push({ method, target, authorization: headers["proxy-authorization"]?.toString() });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
