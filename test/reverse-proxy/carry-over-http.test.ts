import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CarryOutcome, carry } from "../../lib/reverse-proxy/carry.ts";
import type { Forward, ForwardedRequest } from "../../lib/reverse-proxy/forward.ts";
import { freePort } from "../support/free-port.ts";

const MIB = 1024 * 1024;
const LIMITS = { timeout: 20_000, silence: 20_000, maxBody: 64 * MIB };
const CARRIED = new Request("https://ours.example/");

let server: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  const closed = once(server, "close");
  server.close();
  await closed;
});

/** Node's own `fetch`. */
const forward: Forward = async ({ origin: to, path, method, headers, body, signal }) => {
  const fields = new Headers([...headers].map(([name, value]) => [name, value]));
  const streamed = body === null ? {} : { body, duplex: "half" };
  const response = await fetch(`${to}${path}`, { method, headers: fields, signal, redirect: "manual", ...streamed });
  return { status: response.status, headers: response.headers, body: response.body };
};

function carried(given: Partial<ForwardedRequest> = {}, limits = LIMITS): Promise<CarryOutcome> {
  const { signal } = new AbortController();
  const request = { method: "GET", origin, path: "/", headers: new Headers(), body: null, signal, ...given };
  return carry(request, limits, { forward, carried: CARRIED });
}

async function answered(outcome: Promise<CarryOutcome>): Promise<ReadableStream<Uint8Array>> {
  const found = await outcome;
  if (found.kind !== "answer" || found.answer.body === null) throw new Error("no answer with a body", { cause: found });
  return found.answer.body;
}

/** As many chunks of 64 KiB, each of its own number. */
function upload(count: number): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks(count))) as ReadableStream<Uint8Array>;
}

function* chunks(count: number): Generator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield new Uint8Array(MIB / 16).fill(at);
}

test("a body goes up and comes back, byte for byte", async () => {
  answer = (request, response) => void request.pipe(response);
  const body = await answered(carried({ method: "POST", body: upload(256) }));
  let at = 0;
  for await (const chunk of body) {
    for (const byte of chunk) {
      if (byte !== Math.floor(at / (MIB / 16)) % 256) throw new Error(`byte ${at} is ${byte}`);
      at += 1;
    }
  }
  expect(at).toBe(16 * MIB);
});

test("the first chunk of an answer is there before its last is made", async () => {
  const read = Promise.withResolvers<void>();
  answer = async (_, response) => {
    response.write("first");
    await read.promise;
    response.end("last");
  };
  const reader = (await answered(carried())).getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("first");
  read.resolve();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("last");
  expect((await reader.read()).done).toBe(true);
});

test.each<[string, (client: AbortController, body: ReadableStream) => unknown]>([
  ["goes away", (client) => client.abort()],
  ["reads no further", (_, body) => body.cancel()],
])("the upstream's connection closes when a client %s", async (_how, leave) => {
  const closed = Promise.withResolvers<void>();
  answer = (_, response) => {
    response.once("close", () => closed.resolve());
    response.write("first");
  };
  const client = new AbortController();
  await leave(client, await answered(carried({ signal: client.signal })));
  await closed.promise;
});

test("the upstream's connection closes when a client leaves before the answer", async () => {
  const arrived = Promise.withResolvers<Socket>();
  answer = ({ socket }) => arrived.resolve(socket);
  const client = new AbortController();
  const outcome = carried({ signal: client.signal });
  const closed = once(await arrived.promise, "close");
  client.abort();
  expect(await outcome).toMatchObject({ kind: "failed", reason: "client_left" });
  await closed;
});

test("a body that turns out to be too large ends its request", async () => {
  const cut = Promise.withResolvers<void>();
  answer = (request) => void request.resume().once("error", () => cut.resolve());
  const body = upload(32);
  expect(await carried({ method: "POST", body }, { ...LIMITS, maxBody: MIB })).toMatchObject({ reason: "too_large" });
  await cut.promise;
});

test("an upstream that never answers is given up", async () => {
  answer = () => undefined;
  expect(await carried({}, { ...LIMITS, timeout: 20 })).toMatchObject({ kind: "failed", reason: "timeout" });
});

test("an answer that breaks off never looks whole", async () => {
  answer = (_, response) => {
    response.write("first");
    response.socket?.resetAndDestroy();
  };
  const outcome = await carried();
  // The connection may break off before the headers are read.
  if (outcome.kind === "failed") expect(outcome.reason).toBe("unreachable");
  else await expect(new Response(outcome.answer.body).text()).rejects.toThrow();
});

test.each([
  ["HTTP/1.1 banana\r\n\r\n", "malformed"],
  ["HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n", "malformed"],
  ["SSH-2.0-OpenSSH_9.9\r\n", "malformed"],
  ["HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", "malformed"],
  ["", "unreachable"],
])("%j is no answer: %s", async (text, reason) => {
  answer = ({ socket }) => void socket.end(text);
  expect(await carried()).toMatchObject({ kind: "failed", reason });
});

test("nobody at the port is nobody", async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  expect(await carried({ origin: nobody })).toMatchObject({ kind: "failed", reason: "unreachable" });
});
