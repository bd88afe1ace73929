import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { type EchoSocket, echoSocket } from "./web-socket.ts";

/** What arrived at the web application. */
export interface WebUpstreamRequest {
  readonly method: string;
  /** The request target as it was on the wire. */
  readonly target: string;
  /** Names and values in turn, as they were on the wire. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage["headers"];
}

/** A web application of no product on a loopback port: it answers everything with what it got, but for the paths below. */
export interface WebUpstream {
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly WebUpstreamRequest[];
  /** The latest. */
  last(): WebUpstreamRequest;
  /** Connections whose request or answer has not ended. */
  readonly open: number;
  /** Every WebSocket so far, oldest first. */
  readonly sockets: readonly EchoSocket[];
  /** Goes on with all that wait at `/slow`. */
  release(): void;
  stop(): Promise<void>;
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse, url: URL) => void | Promise<void>;

/** The bytes `abc…` over and over. */
export const ALPHABET = "abcdefghijklmnopqrstuvwxyz";

export async function startWebUpstream(): Promise<WebUpstream> {
  const requests: WebUpstreamRequest[] = [];
  const waiting = new Set<() => void>();
  const sockets: EchoSocket[] = [];
  let open = 0;
  const answers: Readonly<Record<string, Answer>> = {
    ...ANSWERS,
    "/slow": async (_, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/plain" }).write("first ");
      await new Promise<void>((resolve) => waiting.add(resolve));
      outgoing.end("second");
    },
    "/ticking": async (_, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
      await new Promise<void>((resolve) => waiting.add(resolve));
      outgoing.end();
    },
    "/silent": async (_, outgoing) => {
      await new Promise<void>((resolve) => waiting.add(resolve));
      outgoing.end("late");
    },
  };
  const server = createServer((incoming, outgoing) => {
    const { method = "", url: target = "", rawHeaders, headers } = incoming;
    requests.push({ method, target, rawHeaders, headers });
    open += 1;
    outgoing.once("close", () => {
      open -= 1;
    });
    const url = new URL(target, "http://upstream");
    const answer = answers[url.pathname.replace(/^\/(?:base|desk)(?=\/)/, "")] ?? echo;
    // A client that leaves while its body is read is no failure of this application.
    void Promise.resolve(answer(incoming, outgoing, url)).catch(() => outgoing.destroy());
  });
  const upgraded = new Set<Duplex>();
  server.on("upgrade", (incoming, socket, head) => {
    const { method = "", url: target = "", rawHeaders, headers } = incoming;
    requests.push({ method, target, rawHeaders, headers });
    upgraded.add(socket);
    if (target.endsWith("/no-socket"))
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnone");
    else sockets.push(echoSocket(incoming, socket, head));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    sockets,
    last() {
      const request = requests.at(-1);
      if (request === undefined) throw new Error("no request arrived");
      return request;
    },
    get open() {
      return open;
    },
    release() {
      for (const resume of waiting) resume();
      waiting.clear();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

/** What it got, in JSON; of the body its length. */
async function echo(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  let length = 0;
  for await (const piece of incoming) length += (piece as Buffer).byteLength;
  const { method, url: target, headers } = incoming;
  outgoing.writeHead(200, { "content-type": "application/json", "x-upstream": "yes" });
  outgoing.end(method === "HEAD" ? undefined : JSON.stringify({ method, target, headers, length }));
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/empty": (_, outgoing) => void outgoing.writeHead(204).end(),
  "/unchanged": (_, outgoing) => void outgoing.writeHead(304, { etag: '"1"' }).end(),
  "/unauthorized": (_, outgoing) =>
    void outgoing.writeHead(401, { "www-authenticate": 'Basic realm="its own"' }).end("its own 401"),
  "/missing": (_, outgoing) => void outgoing.writeHead(404, { "content-type": "text/plain" }).end("its own 404"),
  "/no-type": (_, outgoing) => void outgoing.writeHead(200).end("untyped"),
  "/gzip": (_, outgoing) =>
    void outgoing
      .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
      .end(gzipSync(ALPHABET.repeat(100))),
  "/cookies": (_, outgoing) =>
    void outgoing
      .writeHead(200, {
        "set-cookie": ["a=1; Path=/; HttpOnly", "__Host-countersign=stolen; Path=/; Secure", "b=2; Path=/base/x"],
      })
      .end(),
  "/redirect": (incoming, outgoing, url) =>
    void outgoing
      .writeHead(302, {
        location: (url.searchParams.get("to") ?? "/").replaceAll("SELF", `http://${incoming.headers.host}`),
      })
      .end(),
  "/range": (incoming, outgoing) => {
    const [, from = "0", to = "25"] = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? "") ?? [];
    outgoing.writeHead(206, { "content-range": `bytes ${from}-${to}/26`, "content-type": "text/plain" });
    outgoing.end(ALPHABET.slice(Number(from), Number(to) + 1));
  },
  "/large": async (_, outgoing, url) => {
    outgoing.writeHead(200, { "content-type": "application/octet-stream" });
    await pipeline(pieces(Number(url.searchParams.get("bytes"))), outgoing).catch(() => outgoing.destroy());
  },
  "/broken": (_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/plain", "content-length": "1000" });
    outgoing.write("half", () => outgoing.destroy());
  },
  "/reset": (incoming) => void incoming.socket.destroy(),
  "/early": (_, outgoing) => void outgoing.writeHead(403, { "content-type": "text/plain" }).end("before the body"),
  "/events": (_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write("data: first\n\n");
    outgoing.write("data: second\n\n");
    outgoing.end();
  },
};

const PIECE = Buffer.alloc(64 * 1024, ALPHABET);

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.byteLength)
    yield left < PIECE.byteLength ? PIECE.subarray(0, left) : PIECE;
}
