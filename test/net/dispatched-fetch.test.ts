import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { Dispatcher } from "undici";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dispatchedFetch } from "../../infra/node/net/dispatched-fetch.ts";
import { openFetch } from "../../infra/node/net/open-fetch.ts";
import { networkFailure } from "../../lib/net/failure.ts";
import type { AnswerInPieces } from "../../lib/net/outbound.ts";
import { freePort } from "../support/free-port.ts";

const fetch = openFetch({}, { connection: {} })({});
const MANUAL = { redirect: "manual" } as const;
let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a/path?query=1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("what is sent arrives, and the answer is that of the server", async () => {
  let seen: unknown;
  answer = async (request, response) => {
    const { method, url: path, headers } = request;
    seen = { method, path, headers, body: await text(request) };
    response.writeHead(201, { "content-type": "text/plain", "x-twice": ["a", "b"] }).end("made");
  };
  const headers = new Headers({ "Content-Type": "application/json", "X-Own": "own" });
  const response = await fetch(url, { ...MANUAL, method: "POST", body: '{"ä":1}', headers });
  // Of the platform's answers, not of the global name: the server for Node replaces that when it is loaded.
  expect(response).toBeInstanceOf((await globalThis.fetch("data:,")).constructor);
  expect([response.status, response.ok, response.url]).toEqual([201, true, url]);
  expect([response.headers.get("content-type"), response.headers.get("x-twice")]).toEqual(["text/plain", "a, b"]);
  expect(await response.text()).toBe("made");
  expect(seen).toMatchObject({ method: "POST", path: "/a/path?query=1", body: '{"ä":1}' });
  expect(seen).toMatchObject({
    headers: { "content-type": "application/json", "x-own": "own", "content-length": "8" },
  });
});

test.each([
  [302, ""],
  [404, "nothing here"],
  [204, ""],
])("an answer of status %i is one", async (status, body) => {
  answer = (_, response) => response.writeHead(status, { location: "/elsewhere" }).end(body);
  const response = await fetch(url, MANUAL);
  expect([response.status, response.headers.get("location")]).toEqual([status, "/elsewhere"]);
  expect(await response.text()).toBe(body);
});

test("an answer is read where it was compressed", async () => {
  answer = ({ headers }, response) => {
    expect(headers["accept-encoding"]).toBe("gzip");
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("in short"));
  };
  expect(await (await fetch(url, MANUAL)).text()).toBe("in short");
});

test("an answer that goes on is read as it comes", async () => {
  let go: ServerResponse | undefined;
  answer = (_, response) => {
    go = response;
    response.writeHead(200).write("first");
  };
  const reader = ((await fetch(url, MANUAL)).body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("first");
  go?.end("second");
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("second");
  expect((await reader.read()).done).toBe(true);
});

test("whoever wants bytes alone reads them without a stream, and ends the exchange when it leaves", async () => {
  const closed = Promise.withResolvers<void>();
  answer = (request, response) => {
    request.socket.once("close", () => closed.resolve());
    response.writeHead(200, { "x-own": "own" }).write("first");
  };
  const answered: Response & AnswerInPieces = await fetch(url, MANUAL);
  expect([answered.headers.get("X-Own"), answered.headers.has("x-other")]).toEqual(["own", false]);
  expect(Buffer.from((await answered.pieces?.read()) ?? []).toString()).toBe("first");
  const waiting = answered.pieces?.read();
  await answered.pieces?.cancel();
  expect(await waiting).toBeUndefined();
  await closed.promise;
});

test("an answer of a status that HTTP does not have is read like any other", async () => {
  answer = (_, response) => response.writeHead(999).end("odd");
  const response = await fetch(url, MANUAL);
  expect([response.status, await response.text()]).toEqual([999, "odd"]);
});

test("white space around a header's value is not sent, and a name of every object is no header", async () => {
  answer = ({ headers }, response) => response.end(headers.authorization);
  const response = await fetch(url, { ...MANUAL, headers: { Authorization: " Bearer token\n" } });
  expect([response.headers.get("constructor"), response.headers.has("toString")]).toEqual([null, false]);
  expect(await response.text()).toBe("Bearer token");
});

test("a request that cannot be sent fails once, also when its caller leaves afterwards", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const leaving = new AbortController();
  const throwing = {
    dispatch: () => {
      throw new Error("no such proxy");
    },
  } as unknown as Dispatcher;
  const sent = dispatchedFetch(throwing, fetch)(url, { ...MANUAL, signal: leaving.signal });
  await expect(sent).rejects.toThrow("fetch failed");
  leaving.abort();
  await new Promise(setImmediate);
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test("the body of an answer that has none (Fetch standard) does not hold its connection", async () => {
  const sent = Promise.withResolvers<void>();
  answer = (_, response) => response.writeHead(205).end(Buffer.alloc(COUNT * 1024 * 1024), () => sent.resolve());
  const response = await fetch(url, MANUAL);
  expect([response.status, response.body]).toEqual([205, null]);
  await sent.promise;
});

test("of an answer that nobody reads the server can only write the beginning", async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  const isHeldBack = Promise.withResolvers<void>();
  let written = 0;
  answer = (_, response) => {
    const write = (): void => {
      written += 1;
      if (written === COUNT) response.end(chunk);
      else if (response.write(chunk)) setImmediate(write);
      else response.once("drain", write);
    };
    write();
    const look = (before: number): void => {
      if (before === written) isHeldBack.resolve();
      else setTimeout(look, 100, written);
    };
    look(0);
  };
  const { body } = await fetch(url, MANUAL);
  await isHeldBack.promise;
  expect(written).toBeLessThan(COUNT / 2);
  let length = 0;
  for await (const piece of body as ReadableStream<Uint8Array>) length += piece.length;
  expect(length).toBe(COUNT * chunk.length);
});
const COUNT = 100;

test("who leaves ends the exchange, before the answer and in it", async () => {
  const closed: Promise<unknown>[] = [];
  answer = (request, response) => {
    closed.push(once(request.socket, "close"));
    if (request.method === "GET") response.writeHead(200).write("first");
  };
  const reason = new DOMException("Enough.", "TimeoutError");
  await expect(fetch(url, { ...MANUAL, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const early = new AbortController();
  const waiting = fetch(url, { ...MANUAL, method: "POST", body: "a", signal: early.signal });
  await expect.poll(() => closed.length).toBe(1);
  early.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  const late = new AbortController();
  const reader = ((await fetch(url, { ...MANUAL, signal: late.signal })).body as ReadableStream).getReader();
  await reader.read();
  late.abort(reason);
  await expect(reader.read()).rejects.toBe(reason);
  await (await fetch(url, MANUAL)).body?.cancel();
  await Promise.all(closed);
  expect(closed).toHaveLength(3);
});

test("failures say why", async () => {
  const refused = await fetch(`http://127.0.0.1:${await freePort()}/`, MANUAL).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: "TypeError", message: "fetch failed" });
  expect(networkFailure(refused).cause).toBe("ECONNREFUSED");
  answer = (request) => request.socket.destroy();
  const cut = await fetch(url, { ...MANUAL, method: "POST", body: "a" }).catch((error: unknown) => error);
  expect(networkFailure(cut).why).toBe("the connection was closed before the answer");
  answer = (request, response) => {
    response.writeHead(200, { "content-length": 10 }).write("short");
    setImmediate(() => request.socket.destroy());
  };
  const broken = await (await fetch(url, MANUAL)).text().catch((error: unknown) => error);
  expect(broken).toMatchObject({ name: "TypeError", message: "terminated" });
  expect(networkFailure(broken).why).toBe("the connection was closed before the answer");
  await expect(fetch(url, { ...MANUAL, headers: { "x-own": "a\nb" } })).rejects.toThrow(TypeError);
});

test("what is more than a text is sent all the same", async () => {
  answer = async (request, response) => void response.end(await text(request));
  const sent = async (body: BodyInit) => (await fetch(url, { ...MANUAL, method: "POST", body })).text();
  expect(await sent(new URLSearchParams({ a: "b" }))).toBe("a=b");
  expect(await sent(new TextEncoder().encode("bytes"))).toBe("bytes");
});
