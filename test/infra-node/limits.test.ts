import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type HttpServer, type Listener, listen } from "../../infra/node/http/listen.ts";
import { startServer } from "../../infra/node/server.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import type { HttpConfiguration } from "../../lib/config/configuration.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";
import { listenerOf } from "./listener.ts";

const LIMIT = 4 * 1024 * 1024;

let port: number;
const servers: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.drain(0)));
});

test.each([
  [LIMIT, 200],
  [LIMIT + 1, 413],
])("a body of %i announced bytes is answered with %i", async (length, status) => {
  await serve();
  const response = await fetch(url(), { method: "POST", body: new Uint8Array(length) });
  expect(response.status).toBe(status);
});

test.each([
  ["/mcp", "application/json"],
  ["/oauth2/token", "application/x-www-form-urlencoded"],
  ["/api/v1/setup", "application/json"],
])("a body that announces no length is refused by %s once it is too long", async (path, type) => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-limits-"));
  port = await freePort();
  const server = await startProduct(join(folder, "data"));
  const body = tooLong();
  const headers = { "Content-Type": type };
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers,
    body,
    duplex: "half",
  } as RequestInit);
  expect(response.status).toBe(413);
  await response.body?.cancel();
  await server.stop();
  rmSync(folder, { recursive: true });
});

test("many connections that send their headers byte by byte are closed, and others are served meanwhile", async () => {
  await serve({}, { headersTimeout: 500, requestTimeout: 500, checkInterval: 50 });
  const sockets = await Promise.all(Array.from({ length: 200 }, dribbling));
  expect((await fetch(url())).status).toBe(200);
  const answers = await Promise.all(sockets.map((socket) => text(socket).catch(() => "reset")));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 |^reset$/);
  expect((await fetch(url())).status).toBe(200);
});

test("connections that wait for their next request are closed after a while", async () => {
  await serve({}, { keepAliveTimeout: 50 });
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

test("connections are kept for longer than load balancers keep theirs", async () => {
  await serve();
  const response = await fetch(url());
  expect(response.headers.get("Keep-Alive")).toBe("timeout=75");
});

test.each<[string, readonly string[], Record<string, string>, string]>([
  ["of a trusted proxy", ["127.0.0.0/8"], { "X-Forwarded-For": "198.51.100.1, 203.0.113.7" }, "203.0.113.7"],
  ["of anybody else", ["10.0.0.0/8"], { "X-Forwarded-For": "203.0.113.7", Forwarded: "for=203.0.113.7" }, "127.0.0.1"],
  ["without trusted proxies", [], { "X-Forwarded-For": "203.0.113.7" }, "127.0.0.1"],
  ["as Forwarded", ["127.0.0.1"], { Forwarded: 'for=198.51.100.1, for="[2001:db8::7]:1"' }, "2001:db8::7"],
])("X-Forwarded-For %s decides who a request comes from", async (_, trustedProxies, headers, expected) => {
  await serve({ trustedProxies });
  expect(await (await fetch(url(), { headers })).text()).toBe(expected);
});

test("a proxy that nobody named is worth one warning, whatever else it sends", async () => {
  const lines: string[] = [];
  await serve({ trustedProxies: [] }, {}, lines);
  await (await fetch(url())).text();
  expect(lines.join("")).not.toContain("http.trustedProxies");
  const others: readonly Record<string, string>[] = [
    { "X-Forwarded-For": "203.0.113.7" },
    { Forwarded: "for=203.0.113.8" },
  ];
  for (const headers of others) await (await fetch(url(), { headers })).text();
  const warnings = lines.filter((line) => line.includes("http.trustedProxies is empty"));
  expect(warnings).toEqual([expect.stringContaining("127.0.0.1")]);
});

test("what is refused before the application is logged with the forwarded address as well", async () => {
  const lines: string[] = [];
  await serve({ trustedProxies: ["127.0.0.1"] }, {}, lines);
  const headers = { "X-Forwarded-For": "203.0.113.7" };
  await fetch(url(), { method: "POST", headers, body: new Uint8Array(LIMIT + 1) });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "request refused", status: 413, remoteAddress: "203.0.113.7" },
  ]);
});

test("fields that stand twice are one list", async () => {
  await serve({ trustedProxies: ["127.0.0.1", "10.0.0.1"] });
  const socket = connect(port, "127.0.0.1");
  const fields = "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 10.0.0.1\r\n";
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${fields}Connection: close\r\n\r\n`);
  expect(await text(socket)).toContain("203.0.113.7");
});

async function serve(
  http: Partial<HttpConfiguration> = {},
  limits: Listener["limits"] = {},
  lines: string[] = [],
): Promise<void> {
  port = await freePort();
  const application: Listener["application"] = async (request, { remoteAddress }) => {
    await request.arrayBuffer();
    return new Response(remoteAddress);
  };
  servers.push(await listen({ ...LISTENER, ...http, port }, { ...listenerOf(application, lines), limits }));
}

function url(): string {
  return `http://127.0.0.1:${port}/`;
}

async function startProduct(store: string) {
  const document = {
    version: "1",
    http: { address: `127.0.0.1:${port}` },
    store: { path: store },
    console: { enabled: true },
    oidcProvider: { region: "us" },
    mcpProvider: { enabled: true, transports: { stream: { enabled: true, path: "/mcp" } } },
  };
  const compiled = await compileConfiguration(JSON.stringify(document), {
    file: "limits.yaml",
    readDocument: (uri) => Promise.reject(new Error(`${uri} is not read here`)),
  });
  if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors));
  const { artifact } = compiled;
  const secrets = { get: () => Promise.reject(new Error("there are no secrets")) };
  return startServer({ artifact, environment: {}, secrets, verbose: false, write: () => undefined });
}

/** A body of unannounced length, a quarter longer than what anybody takes. */
function tooLong(): ReadableStream<Uint8Array> {
  let left = LIMIT + LIMIT / 4;
  return new ReadableStream({
    pull: async (controller) => {
      // As from a network: whoever reads it has turns of its own.
      await pause(0);
      if (left <= 0) return controller.close();
      left -= 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
}

async function dribbling(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  void (async () => {
    while (socket.writable) {
      socket.write("a");
      await pause(20);
    }
  })();
  socket.on("error", () => socket.destroy());
  return socket;
}
