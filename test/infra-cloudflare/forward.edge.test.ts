import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { type BareWorkerd, startBareWorkerd } from "./support/bare-workerd.ts";
import { bundledWorker } from "./support/bundle.ts";

let upstream: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let port: number;
let workerd: BareWorkerd;

beforeAll(async () => {
  upstream = createServer((incoming, outgoing) => answer(incoming, outgoing)).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  answer = (_, response) => response.end();
  const bundle = await bundledWorker(undefined, "test/infra-cloudflare/support/forward-worker.js");
  const variables = { UPSTREAM_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` };
  port = await freePort();
  workerd = await startBareWorkerd({ port, bundle: bundle.path, variables });
  await bundle.remove();
});
afterAll(async () => {
  await workerd.stop();
  upstream.closeAllConnections();
  upstream.close();
});

test("the path arrives as far as the platform leaves it as it is, and headers as they are but for those that keep caches away", async () => {
  let seen: unknown;
  answer = ({ url, headers }, response) => {
    seen = { url, headers };
    response.end();
  };
  await sent("/a%2Fb//c;d?x=%zz", { headers: { "X-Own": "1", Cookie: "a=1" } });
  const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const added = { "cache-control": "no-cache", pragma: "no-cache" };
  expect(seen).toEqual({ url: "/a%2Fb//c;d?x=%zz", headers: { host, "x-own": "1", cookie: "a=1", ...added } });
});

test.each([
  ["untouched", {}],
  ["behind another stream", { "X-Wrap": "1" }],
])("a body of a declared length keeps it, %s; another goes in chunks", async (_, headers) => {
  const seen: unknown[] = [];
  answer = async (incoming, response) => {
    const { "content-length": length, "transfer-encoding": coding } = incoming.headers;
    seen.push([length, coding, await text(incoming)]);
    response.end();
  };
  await sent("/", { method: "POST", headers: { ...headers, "Content-Length": "5" } }, "hello");
  await sent("/", { method: "POST", headers: { ...headers, "Transfer-Encoding": "chunked" } }, "hello");
  expect(seen).toEqual([
    ["5", undefined, "hello"],
    [undefined, "chunked", "hello"],
  ]);
});

test.each([
  ["gzip", gzipSync("hello")],
  ["br", brotliCompressSync("hello")],
  ["zstd", Buffer.from("no zstd")],
])("bytes in %s come as they are", async (coding, bytes) => {
  answer = (_, response) => response.writeHead(200, { "Content-Encoding": coding }).end(bytes);
  const answered = await sent("/", { headers: { "Accept-Encoding": coding } });
  expect(answered.headers["content-encoding"]).toBe(coding);
  expect(answered.body).toEqual(bytes);
});

test("what was read on the way is still what Content-Encoding says", async () => {
  answer = (_, response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("hello"));
  const { headers, body } = await sent("/", { headers: { "X-Wrap": "1", "Accept-Encoding": "gzip" } });
  expect(headers["content-encoding"]).toBe("gzip");
  expect(String(gunzipSync(body))).toBe("hello");
});

test("redirects are not followed, cookies stay apart, and HEAD and 304 have no body", async () => {
  answer = ({ url }, response) =>
    response.writeHead(Number(url?.slice(1)), { Location: "/x", "Set-Cookie": ["a=1", "b=2, c"] }).end();
  for (const [method, status] of [
    ["GET", 302],
    ["HEAD", 200],
    ["GET", 304],
  ] as const) {
    const answered = await sent(`/${status}`, { method });
    expect([answered.status, answered.headers["set-cookie"], answered.body.length]).toEqual([
      status,
      ["a=1", "b=2, c"],
      0,
    ]);
    expect(answered.headers.location).toBe("/x");
  }
});

test("an answer comes in pieces, and an upstream that sends more is left when the client has gone", async () => {
  const closed = Promise.withResolvers<void>();
  answer = (_, response) => {
    // The platform learns that a client is gone when there is something for it.
    const sending = setInterval(() => response.write("more"), 20);
    response.once("close", () => {
      clearInterval(sending);
      closed.resolve();
    });
    response.writeHead(200).write("begun");
  };
  const asked = request({ host: "127.0.0.1", port, path: "/" }).end();
  const [received] = (await once(asked, "response")) as [IncomingMessage];
  const [piece] = await once(received, "data");
  expect(String(piece)).toBe("begun");
  asked.destroy();
  await closed.promise;
});

test("an upstream that fails is an OutboundError that names no address", async () => {
  answer = (incoming) => incoming.socket.destroy();
  const { status, body } = await sent("/");
  expect([status, String(body)]).toEqual([502, "OutboundError: The upstream could not be reached."]);
});

describe("an answer that comes before the end of a body of chunks", () => {
  test.each([
    ["untouched", ""],
    ["behind another stream", "X-Wrap: 1\r\n"],
  ])("is the client's where the upstream closes its side and reads the rest, the body %s", async (_, field) => {
    const closing = ({ socket }: IncomingMessage) =>
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 8\r\n\r\nnot this");
    const bytes = await uploaded(field, (incoming) => closing(incoming) && incoming.resume(), "5\r\nhello\r\n");
    expect(bytes).toMatch(/^HTTP\/1.1 403 [\s\S]*not this/);
  });

  test("may be lost where the upstream closes both sides: workerd answers 502 or nothing, and goes on serving", async () => {
    const closing = (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(403, { Connection: "close", "Content-Length": "8" }).end("not this");
    expect(await uploaded("", closing)).toMatch(/^$|^HTTP\/1.1 (?:403 [\s\S]*not this|502 )/);
    answer = (_, response) => response.end("next");
    expect(String((await sent("/")).body)).toBe("next");
  });
});

/**
 * What a client gets that sends chunks until there is an answer. Its connection is closed then, as workerd does after an early one.
 *
 * @param field a further line of the request
 * @param early answers when the body has begun
 * @param only the one chunk, after which the client waits: what it would send to a connection that is closed resets it, and takes along
 *   what the client has not read yet
 */
async function uploaded(
  field: string,
  early: (incoming: IncomingMessage, response: ServerResponse) => unknown,
  only?: string,
): Promise<string> {
  answer = (incoming, response) => {
    // Where the connection is closed, the rest of the body meets nobody.
    incoming.on("error", () => undefined);
    incoming.once("data", () => early(incoming, response));
  };
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  let received = "";
  socket.on("data", (piece) => {
    received += piece.toString("latin1");
  });
  // An error, as of what is sent to a closed connection, ends in it, too.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  const send = (): void => void socket.write(chunk, (error) => (error || received !== "" ? undefined : send()));
  const begin = only === undefined ? send : () => void socket.write(only);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${field}Transfer-Encoding: chunked\r\n\r\n`, begin);
  await closed;
  return received;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** As it goes on the wire: `fetch` would decode what it reads. */
async function sent(
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> } = {},
  body = "",
): Promise<Received> {
  const asked = request({ host: "127.0.0.1", port, path, ...options }).end(body);
  const [received] = (await once(asked, "response")) as [IncomingMessage];
  const { statusCode: status, headers } = received;
  return { status, headers, body: await buffer(received) };
}
