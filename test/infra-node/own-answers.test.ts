import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Application } from "../../functions/routes.ts";
import { type HttpServer, type Listener, listen } from "../../infra/node/http/listen.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";
import { allOf, openConnection } from "./raw-connection.ts";

const HOST = "Host: countersign.example\r\n";
const SECRET = "cst_us_secret";

let server: HttpServer;
let port: number;
let lines: string[];
let reached: string[];
let gate: PromiseWithResolvers<void>;

/** Answers with method and path; `/slow` when the gate is open, `/begun` with a part before and a part after. */
const echo: Application = async (request) => {
  const { pathname } = new URL(request.url);
  reached.push(pathname);
  if (pathname === "/slow") await gate.promise;
  const body = await request.text().catch(() => "no body");
  if (pathname === "/begun") return new Response(begun());
  return new Response(`${request.method} ${pathname} ${body}`);
};

beforeEach(async () => {
  port = await freePort();
  [lines, reached, gate] = [[], [], Promise.withResolvers()];
  server = await start();
});
afterEach(() => server.drain(0));

describe("55. what is no request is refused in the shape of every other error:", () => {
  test.each([
    ["no HTTP", "\x16\x03\x01 not http at all\r\n\r\n", 400],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["an unknown method", `FOO / HTTP/1.1\r\n${HOST}\r\n`, 400],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["a Host that is none", "GET / HTTP/1.1\r\nHost: a/b@c\r\n\r\n", 400],
    ["a NUL in a header", `GET / HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, 400],
    ["an obsolete line folding", `GET / HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, 400],
    ["line breaks without CR", `GET / HTTP/1.1\nHost: x\n\n`, 400],
    ["a target that is no URL", `GET http://[ HTTP/1.1\r\n${HOST}\r\n`, 400],
    ["another scheme", `GET ftp://elsewhere.example/ HTTP/1.1\r\n${HOST}\r\n`, 400],
    ["bytes in the target that are not ASCII", `GET /\xff HTTP/1.1\r\n${HOST}\r\n`, 400],
    ["an unknown expectation", `POST / HTTP/1.1\r\n${HOST}Expect: wonders\r\nContent-Length: 1\r\n\r\nx`, 417],
    ["a body that announces too much", `POST / HTTP/1.1\r\n${HOST}Content-Length: 90000000\r\n\r\nx`, 413],
    ["extensions of chunks that do not end", `${chunked()}5;${"a".repeat(20_000)}\r\nhello\r\n0\r\n\r\n`, 413],
    ["headers beyond the limit", `GET / HTTP/1.1\r\n${HOST}X: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    ["more headers than the limit", `GET / HTTP/1.1\r\n${HOST}${"a:b\r\n".repeat(4_000)}\r\n`, 431],
    ["a target beyond the limit", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ])("%s", async (_, bytes, status) => {
    const [answer, ...more] = answersOf(await exchange(bytes));
    expect(more).toEqual([]);
    expectRefusal(answer, status);
    await expectServing();
  });
});

describe("a request of which two readers could see two is refused before the application:", () => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  const post = (headers: string, body = `0\r\n\r\n${smuggled}`) =>
    `POST / HTTP/1.1\r\n${HOST}${headers}\r\n\r\n${body}`;
  test.each([
    ["two hosts", `GET / HTTP/1.1\r\n${HOST}host: elsewhere.example\r\n\r\n`],
    ["one host twice", `GET / HTTP/1.1\r\n${HOST}X: y\r\nHOST: countersign.example\r\n\r\n`],
    ["a target of another host", `GET http://elsewhere.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ["a target of another port", `GET http://countersign.example:81/ HTTP/1.1\r\n${HOST}\r\n`],
    ["a target with a user", `GET http://countersign.example@elsewhere.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ["a target with a user and the host", `GET http://a@countersign.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ["Content-Length and Transfer-Encoding", post("Content-Length: 4\r\nTransfer-Encoding: chunked")],
    ["Transfer-Encoding and Content-Length", post("Transfer-Encoding: chunked\r\nContent-Length: 4")],
    ["two lengths", post("Content-Length: 5\r\nContent-Length: 6", "hello!")],
    ["one length twice", post("Content-Length: 5\r\nContent-Length: 5", "hello")],
    ["a list of lengths", post("Content-Length: 5, 5", "hello")],
    ["a length with a sign", post("Content-Length: +5", "hello")],
    ["a negative length", post("Content-Length: -5", "hello")],
    ["a length beyond 64 bits", post("Content-Length: 99999999999999999999", "hello")],
    ["a space before the colon", post("Content-Length : 5", "hello")],
    ["a folded Transfer-Encoding", post("Transfer-Encoding:\r\n chunked")],
    ["a Transfer-Encoding that does not end in chunked", post("Transfer-Encoding: chunked, identity")],
  ])("%s", async (_, bytes) => {
    const [answer, ...more] = answersOf(await exchange(bytes));
    expect(more).toEqual([]);
    expectRefusal(answer, 400);
    expect(reached).toEqual([]);
  });
});

test("55. the entry of a request that was refused by its headers tells method and path, and no query", async () => {
  const line = `POST /upload?code=${SECRET} HTTP/1.1`;
  await exchange(`${line}\r\n${HOST}Content-Length: 90000000\r\nConnection: close\r\n\r\nx`);
  const [logged] = lines.map((entry) => JSON.parse(entry));
  expect(logged).toMatchObject({ msg: "request refused", status: 413, method: "POST", path: "/upload" });
  expect(lines.join("\n")).not.toContain(SECRET);
});

test("what follows an unknown Transfer-Encoding is not taken for a request", async () => {
  const bytes = `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: xchunked\r\n\r\nGET /smuggled HTTP/1.1\r\n${HOST}\r\n`;
  const [answer, ...more] = answersOf(await exchange(bytes));
  expect(more).toEqual([]);
  expectRefusal(answer, 400);
  expect(reached).not.toContain("/smuggled");
});

test.each(["http://countersign.example/there", "http://Countersign.Example/there"])(
  "an absolute target of the host reaches the path in it: %s",
  async (target) => {
    const bytes = `GET ${target} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
    expect(answersOf(await exchange(bytes))).toMatchObject([{ status: 200, body: "GET /there " }]);
  },
);

test("the answer to a body that announces too much is not lost while the body is sent, and the connection goes on", async () => {
  const body = "x".repeat(9_000_000);
  const next = `GET /next HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
  const bytes = await exchange(`POST / HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}${next}`);
  expect(answersOf(bytes)).toMatchObject([{ status: 413 }, { status: 200, body: "GET /next " }]);
});

test("a chunk that is none is refused, though the application has its request", async () => {
  const [answer, ...more] = answersOf(await exchange(`${chunked("/slow")}5\r\nhello\r\nzz\r\n`));
  expect(more).toEqual([]);
  expectRefusal(answer, 400);
  gate.resolve();
  await expectServing();
});

test("a mistake behind a request waits for that request's answer", async () => {
  const socket = open(`GET /slow HTTP/1.1\r\n${HOST}\r\nNONSENSE ${SECRET}\r\n\r\n`);
  const bytes = allOf(socket);
  await expect.poll(() => reached).toEqual(["/slow"]);
  // More of it makes no difference.
  socket.write("more nonsense\r\n\r\n");
  gate.resolve();
  const [first, second, ...more] = answersOf(await bytes);
  expect(first).toMatchObject({ status: 200, body: "GET /slow " });
  expectRefusal(second, 400);
  expect(more).toEqual([]);
});

test("nothing is written into an answer that has begun", async () => {
  const socket = open(`POST /begun HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
  const bytes = allOf(socket);
  await once(socket, "data");
  socket.write("NONSENSE\r\n\r\n");
  gate.resolve();
  const [first, second, ...more] = answersOf(await bytes);
  expect(first).toMatchObject({ status: 200, body: "firstsecond" });
  expectRefusal(second, 400);
  expect(more).toEqual([]);
});

test("a connection that breaks off leaves nothing behind", async () => {
  const socket = open(`POST /slow HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\nhal`);
  await expect.poll(() => reached).toEqual(["/slow"]);
  socket.resetAndDestroy();
  gate.resolve();
  await expectServing();
});

test.each([
  ["headers", `GET / HTTP/1.1\r\n${HOST}X-Slow:`],
  ["a body", `POST / HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\nhal`],
])("%s that do not arrive are waited for, but not for ever", async (_, bytes) => {
  await server.drain(0);
  server = await start({ headersTimeout: 100, requestTimeout: 100, checkInterval: 20 });
  const [answer] = answersOf(await exchange(bytes));
  expectRefusal(answer, 408);
  await expectServing();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

function expectRefusal(answer: Answer | undefined, status: number): void {
  expect(answer?.status).toBe(status);
  const { headers, body } = answer as Answer;
  const requestId = headers.get("X-Request-Id");
  expect(Object.fromEntries(headers)).toMatchObject({
    "cache-control": "no-store",
    connection: "close",
    "content-type": "application/problem+json",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000; includeSubDomains",
    "x-request-id": expect.stringMatching(/^[0-9A-Z]{26}$/),
    date: expect.stringMatching(/ GMT$/),
  });
  expect(JSON.parse(body)).toEqual({
    type: expect.stringMatching(/^urn:countersign:problem:[a-z_]+$/),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: `urn:countersign:request:${requestId}`,
  });
  const logged = lines.map((line) => JSON.parse(line)).filter((entry) => entry.requestId === requestId);
  const from = { cause: expect.stringMatching(/./), remoteAddress: "127.0.0.1" };
  expect(logged).toMatchObject([{ msg: "request refused", status, ...from }]);
  expect(lines.join("\n")).not.toContain(SECRET);
}

async function expectServing(): Promise<void> {
  expect(await (await fetch(`http://127.0.0.1:${port}/again`)).text()).toBe("GET /again ");
}

function start(limits: Listener["limits"] = {}): Promise<HttpServer> {
  return listen({ ...LISTENER, port }, { ...listenerOf(echo, lines), limits });
}

function chunked(path = "/"): string {
  return `POST ${path} HTTP/1.1\r\n${HOST}Authorization: Bearer ${SECRET}\r\nTransfer-Encoding: chunked\r\n\r\n`;
}

function open(bytes: string): Socket {
  return openConnection(port, bytes);
}

function exchange(bytes: string): Promise<string> {
  return allOf(open(bytes));
}

/** The answers on a connection, one after the other. */
function answersOf(text: string): readonly Answer[] {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return [];
  const [line = "", ...fields] = text.slice(0, end).split("\r\n");
  const status = Number(line.split(" ")[1]);
  const headers = new Headers(fields.map((field) => field.split(/:\s*(.*)/s).slice(0, 2) as [string, string]));
  const rest = text.slice(end + 4);
  if (status < 200) return answersOf(rest);
  const [body, after] = headers.has("Content-Length")
    ? sized(rest, Number(headers.get("Content-Length")))
    : chunks(rest);
  return [{ status, headers, body }, ...answersOf(after)];
}

function sized(text: string, length: number): [string, string] {
  return [text.slice(0, length), text.slice(length)];
}

function chunks(text: string): [string, string] {
  const [size = ""] = text.split("\r\n", 1);
  const [content, after] = sized(text.slice(size.length + 2), Number.parseInt(size, 16));
  if (content === "") return ["", after.slice(2)];
  const [more, rest] = chunks(after.slice(2));
  return [content + more, rest];
}

function begun(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode("first"));
      await gate.promise;
      controller.enqueue(new TextEncoder().encode("second"));
      controller.close();
    },
  });
}
