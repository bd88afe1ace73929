import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import type { Application } from "../../functions/routes.ts";
import { type HttpServer, listen } from "../../infra/node/http/listen.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";

/** Longer than any of these tests may take: what they wait for does not come of the time being over. */
const LONG = 60_000;

let port: number;
const servers: HttpServer[] = [];
const agent = new Agent({ keepAlive: true });

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.drain(0)));
});

test("an answer that goes out while draining says that the connection closes, and it does", async () => {
  const gate = Promise.withResolvers<void>();
  const { server, entered } = await serve(async () => {
    await gate.promise;
    return new Response("finished");
  });
  const answer = send("/");
  await entered();
  const drained = server.drain(LONG);
  gate.resolve();
  const response = await answer;
  expect(response.headers.connection).toBe("close");
  expect(await text(response)).toBe("finished");
  expect(await drained).toBe(0);
});

test("answers before that keep the connection", async () => {
  const { server } = await serve(async () => new Response("finished"));
  const response = await send("/");
  expect(response.headers.connection).toBe("keep-alive");
  await text(response);
  expect(await server.drain(LONG)).toBe(0);
});

test("a request that was being sent on an open connection is still answered", async () => {
  const { server } = await serve(async (request) => new Response(await request.text()));
  const socket = connect(port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nfirst");
  await expect.poll(() => reached).toBe(1);
  const drained = server.drain(LONG);
  socket.write("-last");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*first-last/i);
  expect(await drained).toBe(0);
});

test("a stream of events that a GET listens to is ended, not cut, and its source is told", async () => {
  const cancelled = Promise.withResolvers<void>();
  const { server } = await serve(async () => events("data: first\n\n", () => cancelled.resolve()));
  const response = await send("/");
  const drained = server.drain(LONG);
  expect(await text(response)).toBe("data: first\n\n");
  expect(response.complete).toBe(true);
  await cancelled.promise;
  expect(await drained).toBe(0);
});

test("a stream that answers a POST is waited for", async () => {
  const gate = Promise.withResolvers<void>();
  const { server } = await serve(async () => events("data: first\n\n", ignore, gate.promise));
  const response = await send("/", "POST");
  const drained = server.drain(LONG);
  gate.resolve();
  expect(await text(response)).toBe("data: first\n\ndata: last\n\n");
  expect(await drained).toBe(0);
});

test("a stream that does not end in time is ended, anything else is cut off, and both are counted", async () => {
  const { server, entered } = await serve(async ({ url }) =>
    new URL(url).pathname === "/stream" ? events("data: first\n\n", ignore) : new Promise<Response>(ignore),
  );
  const [stream, never] = [await send("/stream", "POST"), send("/never").catch((error: unknown) => error)];
  await entered(2);
  expect(await server.drain(100)).toBe(2);
  expect(await text(stream)).toBe("data: first\n\n");
  expect(stream.complete).toBe(true);
  expect(await never).toBeInstanceOf(Error);
});

test("connections that never brought a request, or wait for the next, are closed", async () => {
  const { server } = await serve(async () => new Response("ok"));
  await text(await send("/"));
  const unused = connect(port, "127.0.0.1");
  await once(unused, "connect");
  const closed = once(unused.resume(), "close");
  expect(await server.drain(LONG)).toBe(0);
  await closed;
});

let reached: number;

async function serve(application: Application) {
  port = await freePort();
  reached = 0;
  const counting: Application = (request, host) => {
    reached += 1;
    return application(request, host);
  };
  const server = await listen({ ...LISTENER, port }, listenerOf(counting));
  servers.push(server);
  return { server, entered: (count = 1) => expect.poll(() => reached, { timeout: 20_000 }).toBe(count) };
}

async function send(path: string, method = "GET"): Promise<IncomingMessage> {
  const [response] = await once(request({ host: "127.0.0.1", port, path, method, agent }).end(), "response");
  return response;
}

/** One event at once and, when there is an end, another one at the end. */
function events(first: string, onCancel: () => void, end?: Promise<void>): Response {
  const body = new ReadableStream({
    start: async (controller) => {
      controller.enqueue(new TextEncoder().encode(first));
      await (end ?? new Promise(ignore));
      controller.enqueue(new TextEncoder().encode("data: last\n\n"));
      controller.close();
    },
    cancel: onCancel,
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

function ignore(): undefined {
  return undefined;
}
