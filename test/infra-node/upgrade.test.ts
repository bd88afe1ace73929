import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Application } from "../../functions/routes.ts";
import { type HttpServer, listen } from "../../infra/node/http/listen.ts";
import { configuredForward } from "../../infra/node/net/forward.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { type EchoSocket, echoSocket, HANDSHAKE, handshake, openSocket } from "../support/web-socket.ts";
import { listenerOf } from "./listener.ts";

let server: HttpServer;
let port: number;
let upstream: Server;
let sockets: EchoSocket[];
let lines: string[];

beforeEach(async () => {
  [sockets, lines, port] = [[], [], await freePort()];
  upstream = createServer().listen(0, "127.0.0.1");
  upstream.on("upgrade", (incoming, socket, head) => void sockets.push(echoSocket(incoming, socket, head)));
  await once(upstream, "listening");
  const { port: at } = upstream.address() as AddressInfo;
  const listener = listenerOf(tying(`http://127.0.0.1:${at}`), lines);
  server = await listen({ ...LISTENER, port }, { ...listener, isOfWebApp: (_, target) => target.startsWith("/app") });
});
afterEach(async () => {
  await server.drain(0);
  upstream.close();
});

/** Opens what can be opened below `/app`, but for `/app/refused`. */
function tying(origin: string): Application {
  const { dependencies } = listenerOf(async () => new Response());
  const forward = configuredForward({ tls: {}, environment: {}, logger: dependencies.logger })();
  return async (request, { target, acceptSocket }) => {
    if (acceptSocket === undefined) return new Response("ordinary");
    if (target === "/app/refused") return new Response("refused", { status: 403 });
    const { signal } = request;
    const headers = new Headers([...request.headers].filter(([name]) => name.startsWith("sec-")));
    const asked = { method: "GET", origin, path: target, headers, body: null, signal, upgrade: true } as const;
    const { socket, headers: told } = await forward(asked, request);
    const kept = new Headers([...told].filter(([name]) => name !== "connection" && name !== "upgrade"));
    return socket === undefined ? new Response("no socket", { status: 502 }) : acceptSocket(socket, kept).response;
  };
}

const FIELDS = Object.entries({ host: "countersign.example", ...HANDSHAKE })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

/** All that comes back for what is sent at once. */
async function sent(...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
  return (await buffer(socket).catch(() => Buffer.alloc(0))).toString("latin1");
}

test("what follows the request at once is of the client's stream", async () => {
  const closing = Uint8Array.of(0x88, 0x82, 0, 0, 0, 0, 0x0f, 0xa2);
  const answer = await sent(`GET /app HTTP/1.1\r\n${FIELDS}\r\n`, closing);
  expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n/);
  expect(sockets.map(({ closedWith }) => closedWith)).toEqual([4002]);
});

test("a refusal is an answer of HTTP, after which the connection ends", async () => {
  const answer = await sent(`GET /app/refused HTTP/1.1\r\n${FIELDS}\r\n`, "early bytes");
  expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*connection: close\r\n[\s\S]*refused$/i);
});

test.each([
  ["at another path", "/other", "GET", {}],
  ["with another method", "/app", "POST", { "content-length": "0" }],
  ["for another protocol", "/app", "GET", { upgrade: "h2c" }],
])("a request %s is an ordinary one, whose connection goes on", async (_, path, method, headers) => {
  const answer = await handshake(`http://127.0.0.1:${port}${path}`, headers, method);
  expect([answer.status, answer.headers.connection]).toEqual([200, "keep-alive"]);
});

test("whoever asks for a WebSocket behind a request that is not answered yet takes nothing else down", async () => {
  await sent(`GET / HTTP/1.1\r\nHost: countersign.example\r\n\r\nGET /app HTTP/1.1\r\n${FIELDS}\r\n`, "x");
  const url = `http://127.0.0.1:${port}/app`;
  expect((await handshake(url)).status).toBe(101);
});

test("all are told when the server goes away, and then it does", async () => {
  const open = await Promise.all([1, 2, 3].map(() => openSocket(`http://127.0.0.1:${port}/app`, {})));
  const drained = server.drain(10_000);
  for (const { closed } of open) expect((await closed).code).toBe(1001);
  expect(await drained).toBe(0);
  expect(sockets.map(({ closedWith }) => closedWith)).toEqual([1001, 1001, 1001]);
});
