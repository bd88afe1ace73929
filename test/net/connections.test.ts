import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configuredOutbound } from "../../infra/node/net/configured-outbound.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { createAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/forward-proxy.ts";

const ignore = () => undefined;
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => logger };

let folder: string;
let files: Readonly<Record<"caFile" | "certFile" | "keyFile", string>>;
let plain: MeasuredServer;
let secured: MeasuredServer;
let outbound: Dependencies["outbound"];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-connections-"));
  const authority = createAuthority();
  const client = authority.issue({ names: ["gateway"] });
  files = {
    caFile: put("ca.pem", authority.cert),
    certFile: put("client.pem", client.cert),
    keyFile: put("client.key", client.key),
  };
  const identity = authority.issue({ names: ["localhost", "upstream.test"] });
  plain = await measured((listener) => createHttpServer(listener));
  secured = await measured((listener) =>
    createHttpsServer({ ...identity, requestCert: true, rejectUnauthorized: true, ca: authority.cert }, listener),
  );
});
afterAll(async () => {
  await Promise.all([plain, secured].map(({ server }) => stop(server)));
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  outbound = outboundIn({});
});
afterEach(() => {
  for (const { sockets } of [plain, secured]) for (const socket of sockets) socket.destroy();
});

describe("outbound connections with settings", () => {
  test("are one pool for each pair of settings", () => {
    expect(outbound("internal", { dialTimeout: 5, maxIdleConns: 1 })).toBe(
      outbound("internal", { maxIdleConns: 1, dialTimeout: 5 }),
    );
    const others = [
      outbound(),
      outbound(undefined, {}),
      outbound("internal"),
      outbound("internal", {}),
      outbound("internal", { dialTimeout: 5 }),
      outbound("internal", { keepAliveInterval: 5 }),
      outbound("internal", { maxIdleConns: 5 }),
      outbound("internal", { maxIdleConnsPerHost: 5 }),
      outbound("trusting", { dialTimeout: 5 }),
    ];
    expect(new Set(others).size).toBe(others.length);
    expect(() => outbound("none", {})).toThrow(/^There is no entry none in tls\.$/);
  });

  test("present the client certificate of their entry", async () => {
    const url = `https://localhost:${secured.port}/`;
    expect(await (await outbound("internal", { maxIdleConns: 1 })(url)).text()).toBe("gateway");
    await expect(outbound("trusting", {})(url)).rejects.toThrow("fetch failed");
    await expect(outbound(undefined, {})(url)).rejects.toThrow("fetch failed");
  });

  test("give up on a server that accepts and says nothing", async () => {
    const silent = createTcpServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const connections: Socket[] = [];
    silent.on("connection", (socket) => connections.push(socket));
    await expect(outbound("trusting", { dialTimeout: 50 })(`https://localhost:${port}/`)).rejects.toMatchObject({
      cause: { code: "UND_ERR_CONNECT_TIMEOUT" },
    });
    for (const socket of connections) socket.destroy();
    await stop(silent);
  });
});

describe("idle connections", () => {
  const url = (path = "/hold") => `http://127.0.0.1:${plain.port}${path}`;

  /** Requests that run at the same time, each on a connection of its own, until they are answered. */
  async function runAtOnce(fetch: typeof globalThis.fetch, count: number) {
    const running = Array.from({ length: count }, () => fetch(url()));
    const held = await eventually(
      async () => plain.held.length,
      (length) => length === count,
    );
    expect(held).toBe(count);
    expect(plain.sockets.size).toBe(count);
    return {
      answer: async () => {
        for (const response of plain.held.splice(0)) response.end("done");
        for (const response of await Promise.all(running)) expect(await response.text()).toBe("done");
      },
    };
  }

  const openSockets = () =>
    eventually(
      async () => plain.sockets.size,
      (size) => size <= 2,
    );

  test.each([
    ["in all", { maxIdleConns: 2 }],
    ["of one host", { maxIdleConnsPerHost: 2, maxIdleConns: 50 }],
  ])("beyond the limit %s are closed, busy ones are not counted", async (_, connection) => {
    const fetch = outbound(undefined, connection);
    const { answer } = await runAtOnce(fetch, 6);
    await answer();
    expect(await openSockets()).toBe(2);
    // What is left is used again.
    const ports = await Promise.all([fetch(url("/port")), fetch(url("/port"))].map(async (one) => (await one).text()));
    expect(new Set(ports).size).toBe(2);
    expect(plain.sockets.size).toBe(2);
  });

  test("are not kept at all with a limit of none, and the next request connects again", async () => {
    const fetch = outbound(undefined, { maxIdleConns: 0 });
    for (const _ of [1, 2]) {
      expect(await (await fetch(url("/port"))).text()).toMatch(/^\d+$/);
      expect(
        await eventually(
          async () => plain.sockets.size,
          (size) => size === 0,
        ),
      ).toBe(0);
    }
  });

  test("leave a stream that is open alone", async () => {
    const fetch = outbound(undefined, { maxIdleConns: 0 });
    const stream = await fetch(url("/stream"));
    for (const _ of [1, 2, 3]) await (await fetch(url("/port"))).text();
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("first");
    plain.held.pop()?.end("last");
    expect((await reader?.read())?.value).toBe("last");
  });
});

test("behind a proxy the settings are those of the server, and idle connections are limited as well", async () => {
  const proxy = await startProxy();
  const behind = outboundIn({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
  const connection = { dialTimeout: 5_000, keepAliveInterval: 30_000, maxIdleConns: 0 };
  const tunnel = await behind("internal", connection)(`https://upstream.test:${secured.port}/`);
  expect(await tunnel.text()).toBe("gateway");
  const forwarded = await behind(undefined, connection)(`http://upstream.test:${plain.port}/port`);
  expect(await forwarded.text()).toMatch(/^\d+$/);
  expect(proxy.requests).toMatchObject([{ method: "CONNECT" }, { method: "GET" }]);
  await eventually(
    async () => secured.sockets.size,
    (size) => size === 0,
  );
  await proxy.stop();
});

interface MeasuredServer {
  readonly server: Server;
  readonly port: number;
  /** Open ones. */
  readonly sockets: ReadonlySet<Socket>;
  /** Answers that wait to be ended. */
  readonly held: ServerResponse[];
}

async function measured(create: (listener: RequestListener) => Server): Promise<MeasuredServer> {
  const sockets = new Set<Socket>();
  const held: ServerResponse[] = [];
  const server = create(({ url, socket }, response) => {
    if (url === "/hold") return void held.push(response);
    if (url === "/stream") {
      response.write("first");
      return void held.push(response);
    }
    const client = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
    response.end(client ?? String(socket.remotePort));
  }).listen(0, "127.0.0.1");
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port, sockets, held };
}

function outboundIn(environment: Readonly<Record<string, string>>): Dependencies["outbound"] {
  const listening = { minVersion: "1.2", clientAuth: "NoClientCert", clientCAFiles: [] } as const;
  const tls = { internal: { ...listening, ...files }, trusting: { ...listening, caFile: files.caFile } };
  return configuredOutbound({ tls, environment, logger });
}

async function stop(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}

function put(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}
