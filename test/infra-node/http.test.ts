import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { Application } from "../../functions/routes.ts";
import { background } from "../../infra/background.ts";
import { type HttpServer, listen } from "../../infra/node/http/listen.ts";
import { StartupError } from "../../infra/node/startup-error.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";

const servers: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.drain(0)));
});

test("a request reaches the application with the peer's address", async () => {
  const { url } = await serve(async (_request, host) => Response.json({ from: host.remoteAddress }));
  expect(await (await fetch(url)).json()).toEqual({ from: "127.0.0.1" });
});

test("a taken port is a startup error of one line that names address and port", async () => {
  const { port } = await serve(async () => new Response());
  const failure = await listen(
    at(port),
    listenerOf(async () => new Response()),
  ).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartupError);
  expect(String(failure)).toBe(
    `StartupError: Cannot listen on 127.0.0.1:${port}: the port is in use by another process.`,
  );
});

test("an address of another machine is a startup error", async () => {
  const elsewhere = { ...at(0), host: "192.0.2.1" };
  await expect(
    listen(
      elsewhere,
      listenerOf(async () => new Response()),
    ),
  ).rejects.toThrow(/does not have the address/);
});

test("draining lets a running request finish and accepts no other", async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const { url, server } = await serve(async () => {
    entered.resolve();
    await gate.promise;
    return new Response("finished");
  });
  const running = fetch(url);
  await entered.promise;
  const drained = server.drain(5000);
  await expect(fetch(url)).rejects.toThrow();
  gate.resolve();
  expect(await (await running).text()).toBe("finished");
  await drained;
});

test("draining cuts off what does not finish in time", async () => {
  const entered = Promise.withResolvers<void>();
  const { url, server } = await serve(() => {
    entered.resolve();
    return new Promise<Response>(ignore);
  });
  const running = fetch(url).catch((error: unknown) => error);
  await entered.promise;
  await server.drain(100);
  expect(await running).toBeInstanceOf(Error);
});

test("draining does not wait for idle connections", async () => {
  const { url, server } = await serve(async () => new Response("ok"));
  await (await fetch(url)).text();
  const startedAt = performance.now();
  await server.drain(5000);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

test("a body that announces more than the limit is refused unread, before the application", async () => {
  let reached = false;
  const { port } = await serve(async () => {
    reached = true;
    return new Response();
  });
  const headers = { "Content-Length": String(64 * 1024 * 1024) };
  const sent = request({ host: "127.0.0.1", port, method: "POST", headers });
  sent.flushHeaders();
  const [response] = await once(sent, "response");
  expect(response.statusCode).toBe(413);
  expect(reached).toBe(false);
  sent.destroy();
});

test("headers beyond the limit are refused", async () => {
  const { url } = await serve(async () => new Response());
  const response = await fetch(url, { headers: { "X-Padding": "a".repeat(20_000) } });
  expect(response.status).toBe(431);
});

test("bytes that are no HTTP are refused and the server goes on", async () => {
  const { url, port } = await serve(async () => new Response("ok"));
  const socket = connect(port, "127.0.0.1");
  socket.end("\x16\x03\x01 not http at all\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 400/);
  expect(await (await fetch(url)).text()).toBe("ok");
});

test("background work is waited for, also what it starts, failed or not, but not for ever", async () => {
  const { waitUntil, finish } = background();
  const done: string[] = [];
  waitUntil(
    pause(20).then(() => {
      done.push("first");
      waitUntil(pause(20).then(() => done.push("second")));
    }),
  );
  waitUntil(Promise.reject(new Error("failed in the background")));
  await finish(5000);
  expect(done).toEqual(["first", "second"]);

  waitUntil(new Promise(ignore));
  const startedAt = performance.now();
  await finish(50);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

async function serve(application: Application) {
  const port = await freePort();
  const server = await listen(at(port), listenerOf(application));
  servers.push(server);
  return { server, port, url: `http://127.0.0.1:${port}/` };
}

function at(port: number) {
  return { ...LISTENER, port };
}

function ignore(): undefined {
  return undefined;
}
