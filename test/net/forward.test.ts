import type { lookup } from "node:dns";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configuredForward } from "../../infra/node/net/forward.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { networkFailure } from "../../lib/net/failure.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { isMachineAddress } from "../../lib/net/public-address.ts";
import type { ForwardedAnswer, ForwardedRequest } from "../../lib/reverse-proxy/forward.ts";
import { createAuthority } from "../support/certificates.ts";
import { startProxy } from "../support/forward-proxy.ts";

const ignore = () => undefined;
const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, with: () => logger };
const CARRIED = new Request("https://gateway.example/");
const PIECE = 64 * 1024;

let server: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let connected: number;

beforeAll(async () => {
  connected = 0;
  server = createServer((request, response) => answer(request, response)).listen(0, "127.0.0.1");
  server.on("connection", () => {
    connected += 1;
  });
  await once(server, "listening");
  origin = `http://127.0.0.1:${portOf(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const forward = configuredForward({ tls: {}, environment: {}, logger })();

describe("a request", () => {
  test.each(["/a%2Fb//c;d?x=%zz", "/%2e%2E/../x/./y", "/a'b\"c<d>|e{f}^`g", "//double/?a=b?c=%", "/?q=%00"])(
    "arrives with its path as it is given: %s",
    async (path) => {
      let seen: string | undefined;
      answer = ({ url }, response) => {
        seen = url;
        response.end();
      };
      await forward(asked({ path }), CARRIED);
      expect(seen).toBe(path);
    },
  );

  test("arrives with the headers that are given, and no others but those of HTTP", async () => {
    let seen: readonly string[] = [];
    answer = ({ rawHeaders }, response) => {
      seen = rawHeaders;
      response.end();
    };
    const headers = new Headers({ Cookie: "a=1; b=2", "X-Name": "m\u00fcller", "Transfer-Encoding": "chunked" });
    for (const [name, value] of [
      ["Connection", "close, x-name"],
      ["Content-Length", "7"],
      ["Expect", "100-continue"],
    ] as const) {
      headers.set(name, value);
    }
    await forward(asked({ headers }), CARRIED);
    expect(pairsOf(seen)).toEqual([
      ["host", new URL(origin).host],
      ["connection", "keep-alive"],
      ["cookie", "a=1; b=2"],
      ["x-name", "m\u00fcller"],
    ]);
  });

  test("arrives for the host that is given", async () => {
    let host: string | undefined;
    answer = ({ headers }, response) => {
      host = headers.host;
      response.end();
    };
    await forward(asked({ headers: new Headers({ Host: "payroll.example" }) }), CARRIED);
    expect(host).toBe("payroll.example");
  });

  test.each([
    ["with the length that was declared", 5, { "content-length": "5" }],
    ["in chunks where none was", undefined, { "transfer-encoding": "chunked" }],
    ["as none where that is zero", 0, { "content-length": "0" }],
  ])("brings its body %s", async (_, length, framing) => {
    let seen: unknown;
    answer = async (request, response) => {
      seen = { headers: request.headers, body: await text(request) };
      response.end();
    };
    const body = new Response(length === 0 ? "" : "hello").body;
    await forward(asked({ method: "POST", body, ...(length !== undefined && { length }) }), CARRIED);
    expect(seen).toMatchObject({ headers: framing, body: length === 0 ? "" : "hello" });
  });

  test.each([
    ["shorter", 9],
    ["longer", 3],
  ])("whose body is %s than declared is not taken for whole", async (_, length) => {
    const bodies: string[] = [];
    answer = async (request, response) => {
      bodies.push(await text(request).catch(() => "broken"));
      response.end();
    };
    const sent = forward(asked({ method: "POST", body: new Response("hello").body, length }), CARRIED);
    await expect(sent).rejects.toBeInstanceOf(OutboundError);
    expect(bodies).not.toContain("hello");
  });

  test("that is answered before its body was read has that answer, and its body is not cancelled", async () => {
    answer = (_, response) => void response.writeHead(401).end("not you");
    let [isCancelled, taken] = [false, 0];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        taken += PIECE;
        controller.enqueue(new Uint8Array(PIECE));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const answered = await forward(asked({ method: "POST", body, length: 1e9 }), CARRIED);
    expect([answered.status, await textOf(answered)]).toEqual([401, "not you"]);
    await steady(() => taken);
    expect(isCancelled).toBe(false);
  });

  test.each([
    ["/a b", "GET"],
    ["/a\r\nX-Smuggled: 1", "GET"],
    ["/", "GET / HTTP/1.1\r\nX:"],
  ])("that cannot be sent as it is, is refused: %j %j", async (path, method) => {
    const before = connected;
    await expect(forward(asked({ path, method }), CARRIED)).rejects.toBeInstanceOf(OutboundError);
    expect(connected).toBe(before);
  });
});

describe("an answer", () => {
  test("has the status, the headers and the bytes of the upstream, also where they are compressed", async () => {
    const packed = gzipSync("hello");
    answer = (_, response) => {
      const headers = { "content-encoding": "gzip", "set-cookie": ["a=1", "b=2, c"], "x-twice": ["1", "2"] };
      response.writeHead(207, headers).end(packed);
    };
    const { status, headers, body } = await forward(asked({}), CARRIED);
    expect([status, headers.getSetCookie(), headers.get("x-twice")]).toEqual([207, ["a=1", "b=2, c"], "1, 2"]);
    expect(headers.get("content-encoding")).toBe("gzip");
    expect(Buffer.from(await new Response(body).arrayBuffer())).toEqual(packed);
  });

  test.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("to %s of status %i has no body", async (method, status) => {
    answer = (_, response) => void response.writeHead(status, { ETag: '"1"', "Content-Length": "100" }).end();
    const { headers, ...answered } = await forward(asked({ method }), CARRIED);
    expect(answered).toEqual({ status, body: null });
    expect([headers.get("etag"), headers.get("content-length")]).toEqual(['"1"', "100"]);
  });

  test("that sends elsewhere is not followed, and a status that nobody knows is one", async () => {
    answer = ({ url }, response) =>
      void response.writeHead(url === "/moved" ? 307 : 799, { Location: "/elsewhere" }).end("here");
    for (const [path, status] of [
      ["/moved", 307],
      ["/", 799],
    ] as const) {
      const answered = await forward(asked({ path }), CARRIED);
      expect([answered.status, await textOf(answered)]).toEqual([status, "here"]);
      expect(answered.headers.get("location")).toBe("/elsewhere");
    }
  });

  test("comes in the pieces that the upstream sends, while the request is still sent", async () => {
    answer = (request, response) => request.pipe(response.writeHead(200));
    const sent = new TransformStream<Uint8Array, Uint8Array>();
    const writer = sent.writable.getWriter();
    await Promise.all([
      writer.write(Buffer.from("one")),
      (async () => {
        const { body } = await forward(asked({ method: "POST", body: sent.readable }), CARRIED);
        const reader = body?.getReader();
        expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe("one");
        void writer.write(Buffer.from("two"));
        expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe("two");
        await writer.close();
        expect((await reader?.read())?.done).toBe(true);
      })(),
    ]);
  });

  test("of 200 MB to a request of 200 MB takes no memory of that size", async () => {
    answer = (request, response) => request.pipe(response.writeHead(200));
    const length = 200 * 1024 * 1024;
    const { body } = await forward(asked({ method: "PUT", body: sized(length), length }), CARRIED);
    let [received, highest] = [0, 0];
    for await (const piece of body ?? []) {
      received += piece.byteLength;
      highest = Math.max(highest, process.memoryUsage().arrayBuffers);
    }
    expect(received).toBe(length);
    expect(highest).toBeLessThan(length * 0.75);
  });

  test("that nobody reads is not fetched, and its upstream is left when it is cancelled", async () => {
    const closed = Promise.withResolvers<string>();
    let written = 0;
    answer = (_, response) => {
      const send = (): void => {
        for (let isTaken = true; isTaken && !response.destroyed; written += PIECE)
          isTaken = response.write(new Uint8Array(PIECE));
      };
      response.on("drain", send).once("close", () => closed.resolve("closed"));
      send();
    };
    const { body } = await forward(asked({}), CARRIED);
    await steady(() => written);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    await body?.cancel();
    expect(await closed.promise).toBe("closed");
  });

  test("whose upstream does not read the request has it only as far as the pipe reaches", async () => {
    answer = (_, response) => void response.writeHead(200).write("begun");
    let taken = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        taken += PIECE;
        controller.enqueue(new Uint8Array(PIECE));
      },
    });
    const left = new AbortController();
    const answered = await forward(asked({ method: "POST", body, signal: left.signal }), CARRIED);
    await steady(() => taken);
    expect(taken).toBeLessThan(32 * 1024 * 1024);
    left.abort();
    await expect(textOf(answered)).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("the end of a request", () => {
  const left = (): [AbortController, Promise<unknown>] => {
    const controller = new AbortController();
    const closed = new Promise((resolve) => {
      answer = (request, response) => {
        response.once("close", () => resolve("closed"));
        if (request.url === "/begun") response.writeHead(200).write("begun");
        else controller.abort(new Error("gone"));
      };
    });
    return [controller, closed];
  };

  test("comes when its client has gone before it is sent", async () => {
    const before = connected;
    await expect(forward(asked({ signal: AbortSignal.abort(new Error("gone")) }), CARRIED)).rejects.toThrow("gone");
    expect(connected).toBe(before);
  });

  test("comes when its client goes while the answer is waited for", async () => {
    const [{ signal }, closed] = left();
    await expect(forward(asked({ signal }), CARRIED)).rejects.toThrow("gone");
    expect(await closed).toBe("closed");
  });

  test("comes when its client goes in the middle of the answer", async () => {
    const [controller, closed] = left();
    const answered = await forward(asked({ path: "/begun", signal: controller.signal }), CARRIED);
    controller.abort(new Error("gone"));
    await expect(textOf(answered)).rejects.toThrow("gone");
    expect(await closed).toBe("closed");
  });

  test("comes when the body of its client breaks off", async () => {
    const [begun, broken] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    answer = (request) => {
      request.once("error", () => broken.resolve("broken"));
      request.once("data", () => begun.resolve());
    };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(PIECE));
        void begun.promise.then(() => controller.error(new Error("the client is gone")));
      },
    });
    await expect(forward(asked({ method: "POST", body }), CARRIED)).rejects.toBeInstanceOf(OutboundError);
    expect(await broken.promise).toBe("broken");
  });
});

describe("what fails is an OutboundError that names no address:", () => {
  const raw = (bytes: string) => (request: IncomingMessage) => request.socket.end(bytes, "latin1");
  test.each([
    ["closes the connection", (request: IncomingMessage) => request.socket.destroy()],
    ["speaks no HTTP", raw("\x16\x03\x01 nonsense\r\n\r\n")],
    ["says two lengths", raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")],
    [
      "says a length and sends chunks",
      raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ],
    ["has a NUL in a header", raw("HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n")],
    ["has headers without end", raw(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}\r\n\r\n`)],
  ])("an upstream that %s", async (_, breaks) => {
    answer = breaks;
    const failure = await forward(asked({}), CARRIED).then(textOf, (error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundError);
    expect(String(failure)).not.toMatch(/127\.0\.0\.1|\d{4,}/);
  });

  test.each([
    ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
    ["a chunk that is none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n"],
  ])("an answer of %s that breaks off", async (_, bytes) => {
    answer = raw(bytes);
    const failure = await forward(asked({}), CARRIED)
      .then(textOf)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundError);
  });

  test("an upstream that is not there", async () => {
    const failure = await forward(asked({ origin: "http://127.0.0.1:1" }), CARRIED).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundError);
    expect(networkFailure(failure)).toEqual({ cause: "ECONNREFUSED", why: "the connection was refused" });
  });
});

const MACHINES = [
  ...["169.254.169.254", "169.254.0.1", "100.100.100.200", "168.63.129.16"],
  ...["fe80::1", "febf::1", "fd00:ec2::254"],
  ...["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::169.254.169.254", "64:ff9b::a9fe:a9fe", "::ffff:0:a9fe:a9fe"],
  ...["::ffff:100.100.100.200", "2002:a9fe:a9fe::1"],
];

describe("21. an upstream at an address of a cloud's machine is refused:", () => {
  test.each([...MACHINES, "2852039166", "0xa9fea9fe", "0251.0376.0251.0376"])("%s", async (host) => {
    const literal = host.includes(":") ? `[${host}]` : host;
    const sent = forward(asked({ origin: `http://${literal}` }), CARRIED);
    await expect(sent).rejects.toThrow("link-local or that of a metadata service");
  });

  test.each(MACHINES)("a name that leads to %s, also among others", async (address) => {
    const before = connected;
    const named = resolving(["127.0.0.1", address]);
    const sent = named(asked({ origin: `http://upstream.test:${portOf(server)}` }), CARRIED);
    const failure = await sent.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundError);
    expect(failure).toMatchObject({ cause: { message: expect.stringContaining("link-local") } });
    expect(connected).toBe(before);
  });

  test.each(["fe80::1%eth0", "169.254.0.0", "169.254.255.255"])("%s, however it is written", (address) => {
    expect(isMachineAddress(address)).toBe(true);
  });

  test.each([
    "10.0.0.1",
    "127.0.0.1",
    "192.168.1.1",
    "169.253.255.255",
    "169.255.0.0",
    "fd00:ec2::253",
    "::1",
    "fec0::1",
  ])("%s is none", (address) => expect(isMachineAddress(address)).toBe(false));

  test("a private address is reached by its name", async () => {
    answer = ({ headers }, response) => void response.end(headers.host);
    const answered = await resolving(["127.0.0.1"])(
      asked({ origin: `http://upstream.test:${portOf(server)}` }),
      CARRIED,
    );
    expect(await textOf(answered)).toBe(`upstream.test:${portOf(server)}`);
  });
});

describe("connections", () => {
  let folder: string;
  let secured: Server;
  let files: Readonly<Record<"caFile" | "certFile" | "keyFile", string>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "countersign-forward-"));
    const authority = createAuthority();
    const client = authority.issue({ names: ["gateway"] });
    const put = (name: string, content: string) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    files = {
      caFile: put("ca.pem", authority.cert),
      certFile: put("client.pem", client.cert),
      keyFile: put("client.key", client.key),
    };
    const identity = authority.issue({ names: ["localhost"] });
    const options = { ...identity, requestCert: true, rejectUnauthorized: true, ca: authority.cert };
    secured = createHttpsServer(options, (request, response) =>
      response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN),
    ).listen(0, "127.0.0.1");
    await once(secured, "listening");
  });
  afterAll(() => {
    secured.closeAllConnections();
    secured.close();
    rmSync(folder, { recursive: true });
  });

  const withTls = (environment: Readonly<Record<string, string>> = {}) => {
    const listening = { minVersion: "1.2", clientAuth: "NoClientCert", clientCAFiles: [] } as const;
    const tls = { internal: { ...listening, ...files }, broken: { ...listening, caFile: join(folder, "none.pem") } };
    return configuredForward({ tls, environment, logger });
  };

  test("use the authorities and the certificate of an entry of tls", async () => {
    const forwards = withTls();
    const request = asked({ origin: `https://localhost:${portOf(secured)}` });
    expect(await textOf(await forwards("internal")(request, CARRIED))).toBe("gateway");
    expect(forwards("internal")).toBe(forwards("internal"));
    await expect(forwards()(request, CARRIED)).rejects.toBeInstanceOf(OutboundError);
    expect(() => forwards("none")).toThrow("There is no entry none in tls.");
    expect(() => forwards("broken")).toThrow(/^tls\.broken\.caFile/);
  });

  test("go through the proxies of the environment", async () => {
    const proxy = await startProxy();
    const forwards = withTls({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url });
    answer = (_, response) => void response.end("plain");
    const plain = asked({ origin: `http://upstream.test:${portOf(server)}`, path: "/a/../b" });
    expect(await textOf(await forwards()(plain, CARRIED))).toBe("plain");
    const tunnel = asked({ origin: `https://upstream.test:${portOf(secured)}` });
    // The name of the certificate is another one.
    await expect(forwards("internal")(tunnel, CARRIED)).rejects.toBeInstanceOf(OutboundError);
    expect(proxy.requests).toMatchObject([{ method: "GET" }, { method: "CONNECT" }]);
    await proxy.stop();
  });
});

function asked(fields: Partial<ForwardedRequest>): ForwardedRequest {
  const signal = new AbortController().signal;
  return { method: "GET", origin, path: "/", headers: new Headers(), body: null, signal, ...fields };
}

function textOf({ body }: ForwardedAnswer): Promise<string> {
  return new Response(body).text();
}

/** Bytes in pieces that are made when somebody reads. */
function sized(length: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (sent >= length) return controller.close();
      sent += PIECE;
      controller.enqueue(new Uint8Array(PIECE));
    },
  });
}

/** Resolves when a number has begun to grow and stays as it is. */
async function steady(read: () => number): Promise<void> {
  let former = 0;
  const isSteady = (): boolean => {
    const isSame = former > 0 && read() === former;
    former = read();
    return isSame;
  };
  await expect.poll(isSteady, { interval: 100, timeout: 10_000 }).toBe(true);
}

function resolving(addresses: readonly string[]) {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const resolve = (_: string, __: unknown, done: (error: null, found: unknown) => void) => done(null, found);
  return configuredForward({ tls: {}, environment: {}, logger, resolve: resolve as unknown as typeof lookup })();
}

function pairsOf(raw: readonly string[]): readonly (readonly string[])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ""]] : []));
}

function portOf(listening: Server): number {
  return (listening.address() as AddressInfo).port;
}
