import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Application } from "../../functions/routes.ts";
import { type HttpServer, type Listener, listen } from "../../infra/node/http/listen.ts";
import { configuredForward } from "../../infra/node/net/forward.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";
import { allOf, openConnection } from "./raw-connection.ts";

const HOST = "Host: countersign.example\r\n";
const PIECE = 64 * 1024;
const BODY_BYTES = 300 * 1024 * 1024;

let server: HttpServer;
let port: number;
let bodyBytes: number;
let upstream: Server;
/** What reached the upstream, byte for byte. */
let wire: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

beforeEach(async () => {
  [wire, bodyBytes, port] = ["", BODY_BYTES, await freePort()];
  answer = async (request, response) => response.end(`${request.method} ${request.url} ${await text(request)}`);
  upstream = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  upstream.on("connection", (socket) =>
    socket.on("data", (piece) => {
      wire = (wire + piece.toString("latin1")).slice(0, 100_000);
    }),
  );
  await once(upstream, "listening");
  server = await start();
});
afterEach(async () => {
  await server.drain(0);
  upstream.closeAllConnections();
  upstream.close();
});

/** Carries what comes below `/`, and refuses `/refused` without a look at its body. */
function carrying(origin: string): Application {
  const { dependencies } = listenerOf(async () => new Response());
  const forward = configuredForward({ tls: {}, environment: {}, logger: dependencies.logger })();
  return async (request, host) => {
    if (host.target.startsWith("/refused")) return new Response("no", { status: 403 });
    if (host.target.startsWith("/own")) return new Response(await request.text());
    host.streamsBody?.();
    const { method, body, signal } = request;
    const [headers, declared] = [new Headers(request.headers), request.headers.get("content-length")];
    headers.delete("host");
    const length = declared === null ? {} : { length: Number(declared) };
    const asked = { method, origin, path: host.target, headers, body, signal, ...length };
    const carried = await forward(asked, request).catch(() => undefined);
    if (carried === undefined) return new Response("unreachable", { status: 502 });
    const kept = new Headers(carried.headers);
    for (const name of ["connection", "keep-alive", "transfer-encoding"]) kept.delete(name);
    const answer = {
      status: carried.status,
      headers: kept,
      body: carried.body,
      ...(carried.pieces && { pieces: carried.pieces }),
    };
    return host.passesOn?.(answer) ?? new Response(carried.body, answer);
  };
}

test.each(["/a%2Fb//c;d?x=%zz", "/%2e%2E/./x/../y?", "/a?b?c", "/%41%c3%a4"])(
  "the target reaches the application as it came: %s",
  async (target) => {
    expect(await exchange(`GET ${target} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    expect(wire.split("\r\n", 1)).toEqual([`GET ${target} HTTP/1.1`]);
  },
);

describe("58. of a request of which two readers could see two, nothing reaches an upstream:", () => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const post = (headers: string, body = `0\r\n\r\n${smuggled}`) =>
    `POST / HTTP/1.1\r\n${HOST}${headers}\r\n\r\n${body}`;
  test.each([
    ["Content-Length and Transfer-Encoding", post("Content-Length: 4\r\nTransfer-Encoding: chunked")],
    ["two lengths", post("Content-Length: 5\r\nContent-Length: 6", "hello!")],
    ["a bare LF after the request line", `GET / HTTP/1.1\n${HOST}\r\n`],
    ["a bare LF after a header", `GET / HTTP/1.1\r\n${HOST}X: a\n\r\n`],
    ["a bare CR in a header", `GET / HTTP/1.1\r\n${HOST}X: a\rY: b\r\n\r\n`],
    ["an obsolete line folding", `GET / HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`],
    ["a space before a colon", post("Content-Length : 5", "hello")],
    ["a space before the first header", `GET / HTTP/1.1\r\n ${HOST}\r\n`],
    ["two hosts", `GET / HTTP/1.1\r\n${HOST}Host: elsewhere.example\r\n\r\n`],
    ["a target of another host", `GET http://elsewhere.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ["a control character in a header", `GET / HTTP/1.1\r\n${HOST}X: a\x01b\r\n\r\n`],
    ["a NUL in a header", `GET / HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`],
    ["a Transfer-Encoding of two", post("Transfer-Encoding: chunked, identity")],
    ["a version that is none", `GET / HTTP/1.2\r\n${HOST}\r\n`],
    ["a target with a space", `GET /a b HTTP/1.1\r\n${HOST}\r\n`],
  ])("%s", async (_, bytes) => {
    expect(await exchange(bytes)).toMatch(/^HTTP\/1.1 400 /);
    expect(wire).toBe("");
  });

  test.each([
    ["a size without CR", "5\nhello\r\n0\r\n\r\n"],
    ["a size that is none", "0x5\r\nhello\r\n0\r\n\r\n"],
    ["a size with a sign", "+5\r\nhello\r\n0\r\n\r\n"],
    ["a size beyond 64 bits", `${"f".repeat(17)}\r\nhello\r\n0\r\n\r\n`],
    ["more bytes than the size", "3\r\nhello\r\n0\r\n\r\n"],
    ["extensions without end", `5;${"a".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`],
  ])("chunks with %s end both sides", async (_, chunks) => {
    const bytes = await exchange(post("Transfer-Encoding: chunked", `${chunks}${smuggled}`));
    expect(bytes).toMatch(/^HTTP\/1.1 4(?:00|13) /);
    expect(wire).not.toContain("smuggled");
    expect(wire).not.toContain("0\r\n\r\n");
  });

  test("an unknown Transfer-Encoding", async () => {
    const bytes = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\n${smuggled}`;
    expect(await exchange(bytes)).toMatch(/^HTTP\/1.1 400 /);
    // It is a body to its end, in chunks of ours.
    expect(wire).not.toMatch(/^GET \/smuggled/m);
  });
});

test("what is carried is framed anew: extensions of chunks and trailers stay behind", async () => {
  const body = "3;a=secret\r\nhel\r\n2\r\nlo\r\n0\r\nX-Trailer: secret\r\n\r\n";
  const head = `POST /x HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\nConnection: close\r\n\r\n`;
  expect(await exchange(head + body)).toContain("POST /x hello");
  expect(wire).not.toContain("secret");
});

describe("an answer that is carried", () => {
  test.each([
    ["none", null],
    ["its own", "text/x-own"],
  ])("has the type that the upstream gave: %s", async (_, type) => {
    answer = (__, response) => response.writeHead(200, type === null ? {} : { "Content-Type": type }).end("hello");
    const { headers } = await fetch(`http://127.0.0.1:${port}/`);
    expect(headers.get("content-type")).toBe(type);
  });

  test("has each of its cookies, and its bytes as they came", async () => {
    answer = (_, response) =>
      response.writeHead(200, { "Set-Cookie": ["a=1", "b=2"], "Content-Encoding": "br" }).end("\x01 no brotli");
    const bytes = await exchange(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect(bytes.match(/^set-cookie: .*$/gim)).toEqual(["set-cookie: a=1", "set-cookie: b=2"]);
    expect(bytes).toContain("\x01 no brotli");
  });

  test.each([
    ["chunks", {}],
    ["a length", { "Content-Length": "100" }],
  ])("of %s breaks off where the upstream's does", async (_, headers) => {
    answer = (__, response) => {
      response.writeHead(200, headers).write("hello");
      setTimeout(() => response.destroy(), 20);
    };
    const bytes = await exchange(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    expect(bytes).toContain("hello");
    expect(bytes).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  test("begins when the upstream's does, though nothing of its body has come", async () => {
    answer = (_, response) => response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
    const socket = open(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    const [head] = await once(socket, "data");
    expect(String(head)).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n$/);
    socket.destroy();
  });

  test("of HEAD has the length that GET has", async () => {
    answer = (_, response) => response.writeHead(200, { "Content-Length": "12345" }).end();
    const bytes = await exchange(`HEAD / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect(bytes).toMatch(/\r\ncontent-length: 12345\r\n/i);
    expect(bytes).toMatch(/\r\n\r\n$/);
  });

  test("comes though its client still sends, and leaves the connection as it is", async () => {
    answer = (request, response) =>
      request.method === "POST" ? response.writeHead(401).end("not you") : response.end("next");
    const body = "x".repeat(200 * PIECE);
    const next = `GET /next HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    const bytes = await exchange(`POST / HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}${next}`);
    expect(bytes).toMatch(/^HTTP\/1.1 401 [\s\S]*not you[\s\S]*HTTP\/1.1 200 [\s\S]*next/);
  });
});

describe("an answer that comes before the end of a body of chunks", () => {
  /** What the client gets, whose whole body comes after the answer began. */
  const uploaded = async (early: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> => {
    answer = (request, response) => {
      if (request.method === "GET") return response.end("next");
      // Where the connection is closed, the rest of the body meets nobody.
      request.on("error", () => undefined);
      return request.once("data", () => early(request, response));
    };
    const socket = open(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
    const received = allOf(socket);
    const chunk = `10000\r\n${"x".repeat(PIECE)}\r\n`;
    for (let sent = 0; sent < 200 && !socket.destroyed; sent += 1) {
      if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
    socket.write(`0\r\n\r\nGET /next HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    return received;
  };
  const BOTH = /^HTTP\/1.1 403 [\s\S]*not this[\s\S]*HTTP\/1.1 200 [\s\S]*next/;

  test.each(["resume", "pause"] as const)(
    "is the client's where the upstream keeps the connection: %s",
    async (then) => {
      expect(await uploaded((request, response) => response.writeHead(403).end("not this") && request[then]())).toMatch(
        BOTH,
      );
    },
  );

  test("is the client's where the upstream closes its side and reads the rest, as RFC 9112 section 9.6 wants it", async () => {
    const closing = ({ socket }: IncomingMessage) =>
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 8\r\n\r\nnot this");
    expect(await uploaded((request) => closing(request) && request.resume())).toMatch(BOTH);
  });

  test("may be lost where the upstream closes both sides: then it is 502", async () => {
    const bytes = await uploaded((_, response) => response.writeHead(403, { Connection: "close" }).end("not this"));
    expect(bytes).toMatch(/^HTTP\/1.1 (?:403|502) [\s\S]*HTTP\/1.1 200 [\s\S]*next/);
  });
});

describe("a client that leaves ends the request to the upstream", () => {
  test.each([
    ["before the answer", "/silent"],
    ["in the middle of it", "/begun"],
  ])("%s", async (_, path) => {
    const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    answer = (request, response) => {
      response.once("close", () => closed.resolve());
      if (request.url === "/begun") response.writeHead(200).write("begun");
      begun.resolve();
    };
    const socket = open(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
    await (path === "/begun" ? once(socket, "data") : begun.promise);
    socket.destroy();
    await closed.promise;
  });

  test("in the middle of its body", async () => {
    const [begun, broken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    answer = (request) => {
      request.once("error", () => broken.resolve());
      request.once("data", () => begun.resolve());
    };
    const socket = open(`POST / HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\nhello`);
    await begun.promise;
    socket.destroy();
    await broken.promise;
  });
});

describe("a client that", () => {
  const pieces = 96;
  let closed: Promise<boolean>;
  beforeEach(async () => {
    const whole = Promise.withResolvers<boolean>();
    closed = whole.promise;
    answer = (request, response) => {
      response.once("close", () => whole.resolve(response.writableFinished));
      response.writeHead(200, { "Content-Type": request.url === "/events" ? "text/event-stream" : "text/plain" });
      void pipeline(Readable.from(Array(pieces).fill(Buffer.alloc(4 * PIECE))), response).catch(() => undefined);
    };
    await server.drain(0);
    server = await start({ requestTimeout: 500 });
  });

  test.each(["/", "/events"])("does not take its answer holds nothing at the upstream for long: %s", async (path) => {
    const socket = open(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`).pause();
    expect(await closed).toBe(false);
    socket.destroy();
  });

  test("takes it slowly gets it whole", async () => {
    const socket = open(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    let received = 0;
    for await (const piece of socket) {
      const before = Math.floor(received / (96 * PIECE));
      received += piece.length;
      if (Math.floor(received / (96 * PIECE)) > before) await pause(300);
    }
    expect(received).toBeGreaterThan(pieces * 4 * PIECE);
    expect(await closed).toBe(true);
  });
});

describe("Expect: 100-continue", () => {
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\nConnection: close\r\n\r\n`;

  test.each(["/carried", "/own"])("is answered when the body is read: %s", async (path) => {
    const socket = open(head(path));
    const received = allOf(socket);
    const [first] = await once(socket, "data");
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("hello");
    expect(await received).toMatch(/HTTP\/1.1 200 [\s\S]*hello/);
    expect(wire).not.toMatch(/^expect:/im);
  });

  test("costs a client that is refused no upload, and its connection", async () => {
    const bytes = await exchange(head("/refused").replace("Connection: close\r\n", ""));
    expect(bytes).toMatch(/^HTTP\/1.1 403 /);
    expect(bytes).toMatch(/^connection: close\r$/im);
    expect(bytes).not.toContain("100 Continue");
  });

  test("of a body that announces too much is refused", async () => {
    bodyBytes = 4;
    expect(await exchange(head("/carried"))).toMatch(/^HTTP\/1.1 413 /);
    expect(wire).toBe("");
  });

  test("keeps the connection of a client whose body was read", async () => {
    const socket = open(head("/carried").replace("Connection: close\r\n", ""));
    const received = allOf(socket);
    await once(socket, "data");
    socket.write(`helloGET /next HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect(await received).toMatch(/HTTP\/1.1 200 [\s\S]*HTTP\/1.1 200 [\s\S]*GET \/next/);
  });
});

test("how much a body may announce is asked with each request", async () => {
  const post = () => fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "hello" });
  bodyBytes = 4;
  const refused = await post();
  expect([refused.status, (await refused.json()).detail]).toEqual([413, expect.stringContaining("at most 4 bytes")]);
  bodyBytes = 5;
  expect((await post()).status).toBe(200);
});

describe("a body that is carried", () => {
  const post = (path: string) => `POST ${path} HTTP/1.1\r\n${HOST}Content-Length: 20\r\nConnection: close\r\n\r\n`;
  beforeEach(async () => {
    await server.drain(0);
    server = await start({ requestTimeout: 1_000 });
  });

  test("may take longer than others, as long as it is not silent", async () => {
    const both = ["/carried", "/own"].map(async (path) => {
      const socket = open(post(path));
      const received = allOf(socket);
      for (let sent = 0; sent < 20 && !socket.destroyed; sent += 1) {
        await pause(100);
        socket.write("x");
      }
      return received;
    });
    const [carried, own] = await Promise.all(both);
    expect(carried).toMatch(/^HTTP\/1.1 200 [\s\S]*x{20}/);
    expect(own).toMatch(/^HTTP\/1.1 408 /);
  });

  test("and is silent ends, at the upstream, too", async () => {
    const broken = Promise.withResolvers<void>();
    answer = (request) => request.once("error", () => broken.resolve()).resume();
    expect(await exchange(`${post("/carried")}half`)).toMatch(/^HTTP\/1.1 408 /);
    await broken.promise;
  });
});

function start(limits: Listener["limits"] = {}): Promise<HttpServer> {
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const listener = listenerOf(carrying(origin));
  return listen({ ...LISTENER, port }, { ...listener, limits: { bodyBytes: () => bodyBytes, ...limits } });
}

function open(bytes: string): Socket {
  return openConnection(port, bytes);
}

function exchange(bytes: string): Promise<string> {
  return allOf(open(bytes));
}
