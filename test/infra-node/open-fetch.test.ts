import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openFetch, outboundFetch } from "../../infra/node/net/open-fetch.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { type CertificateAuthority, createAuthority, type Issued } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type ForwardProxy, startProxy } from "../support/forward-proxy.ts";

/** No name server knows it; the proxy finds every host on this machine. */
const ELSEWHERE = "upstream.test";

let folder: string;
let authority: CertificateAuthority;
let identity: Issued;
let caFile: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  authority = createAuthority();
  identity = authority.issue({ names: ["localhost", "127.0.0.1", ELSEWHERE] });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-outbound-"));
  caFile = put("ca.pem", authority.cert);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the CA of a file is trusted in place of the public ones", async () => {
  const { url } = await startTls();
  const response = await openFetch({})({ caFile })(url);
  expect(response).toBeInstanceOf(Response);
  expect(await response.json()).toMatchObject({ path: "/" });
  await expect(openFetch({})({})(url)).rejects.toThrow("fetch failed");
  const other = put("other.pem", createAuthority("Another").cert);
  await expect(openFetch({})({ caFile: other })(url)).rejects.toThrow("fetch failed");
});

test("a certificate for another host is refused", async () => {
  const { port } = await startTls({ ...authority.issue({ names: ["other.example"] }) });
  await expect(openFetch({})({ caFile })(`https://localhost:${port}`)).rejects.toThrow("fetch failed");
});

test("nothing is verified where the settings say so", async () => {
  const { url } = await startTls();
  expect((await openFetch({})({ insecure: true })(url)).status).toBe(200);
});

test("the client certificate is presented to a server that asks for one", async () => {
  const { url } = await startTls({ requestCert: true, ca: authority.cert });
  await expect(openFetch({})({ caFile })(url)).rejects.toThrow("fetch failed");
  const response = await openFetch({})({ caFile, ...(await clientFiles("agent")) })(url);
  expect(await response.json()).toMatchObject({ client: "agent" });
});

test("an older version of TLS than the settings want is refused", async () => {
  const { url } = await startTls({ maxVersion: "TLSv1.2" });
  await expect(openFetch({})({ caFile, minVersion: "1.3" })(url)).rejects.toThrow("fetch failed");
  expect((await openFetch({})({ caFile, minVersion: "1.2" })(url)).status).toBe(200);
});

test("connections are kept for the next request", async () => {
  const { url } = await startTls();
  const fetch = openFetch({})({ caFile });
  const ports = new Set<number>();
  const ask = async () => ((await (await fetch(url)).json()) as Answer).clientPort;
  await eventually(ask, (port) => {
    const isKnown = ports.has(port);
    ports.add(port);
    return isKnown;
  });
});

test("bodies of every kind arrive, and answers stream", async () => {
  const { url } = await startTls();
  const fetch = openFetch({})({ caFile });
  const form = new FormData();
  form.set("field", "value");
  const large = "x".repeat(3_000_000);
  const sent = async (body: BodyInit) => ((await (await fetch(url, { method: "POST", body })).json()) as Answer).body;
  expect(await sent("text")).toBe("text");
  expect(await sent(new URLSearchParams({ a: "b" }))).toBe("a=b");
  expect(await sent(form)).toContain("value");
  expect(await sent(large)).toHaveLength(large.length);
  const request = new Request(`${url}echo`, { method: "POST", body: large });
  expect(await (await fetch(request)).text()).toHaveLength(large.length);
});

test("an aborted request ends", async () => {
  const { url } = await startTls();
  const controller = new AbortController();
  const running = openFetch({})({ caFile })(`${url}never`, { signal: controller.signal });
  setTimeout(() => controller.abort(), 20);
  await expect(running).rejects.toThrow(/abort/);
});

test.each([
  [
    "that does not exist",
    { caFile: "missing.pem" },
    /^caFile: \S+missing\.pem cannot be read: no such file or folder$/,
  ],
  ["that is a folder", { caFile: "." }, /^caFile: \S+ cannot be read: it is a folder$/],
  ["that is empty", { caFile: "empty.pem" }, /^caFile: \S+empty\.pem cannot be read: it is empty$/],
  ["without a certificate", { caFile: "key.pem" }, /^caFile: \S+key\.pem holds no certificate/],
  ["of an authority that is cut off", { caFile: "cut.pem" }, /^caFile: \S+cut\.pem holds a certificate that cannot/],
  ["that is no key", { certFile: "cert.pem", keyFile: "cert.pem" }, /^keyFile: \S+cert\.pem holds no private key/],
  ["of another key", { certFile: "cert.pem", keyFile: "other-key.pem" }, /^keyFile: \S+ does not belong to the/],
  ["without its key", { certFile: "cert.pem" }, /^certFile needs keyFile/],
  ["without its certificate", { keyFile: "key.pem" }, /^keyFile needs certFile/],
])("a file %s is refused at once, by key, file and reason", async (_, names, message) => {
  put("empty.pem", "\n");
  put("cert.pem", identity.cert);
  put("key.pem", identity.key);
  put("other-key.pem", authority.issue().key);
  put("cut.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
  const open = () => openFetch({})(inFolder(names));
  expect(open).toThrow(OutboundError);
  expect(open).toThrow(message);
});

test("files that change are used by connections from then on", async () => {
  const { url } = await startTls({ requestCert: true, ca: authority.cert });
  const files = await clientFiles("first");
  const fetch = openFetch({}, { lookInterval: 0 })({ caFile, ...files });
  expect(await (await fetch(url)).json()).toMatchObject({ client: "first" });
  await clientFiles("second");
  expect(await (await fetch(url)).json()).toMatchObject({ client: "second" });
});

test("changed files that cannot be used are reported once, and the former stay in use", async () => {
  const { url } = await startTls({ requestCert: true, ca: authority.cert });
  const files = await clientFiles("first");
  const problems: unknown[] = [];
  const report = (problem: unknown) => problems.push(problem);
  const fetch = openFetch({}, { lookInterval: 0, report })({ caFile, ...files });
  put("client.pem", "nothing of use");
  for (const _ of [1, 2, 3]) expect(await (await fetch(url)).json()).toMatchObject({ client: "first" });
  expect(problems.map(String)).toEqual([expect.stringMatching(/^OutboundError: certFile: \S+ holds no certificate/)]);
  await clientFiles("second");
  expect(await (await fetch(url)).json()).toMatchObject({ client: "second" });
});

test("without proxies in the environment, plain fetch goes to the server itself", async () => {
  const port = await startHttp();
  const response = await outboundFetch({ NO_PROXY: "*" })(`http://127.0.0.1:${port}/`, { redirect: "manual" });
  expect([response.status, await response.json()]).toEqual([200, expect.anything()]);
});

test("plain HTTP goes through HTTP_PROXY with its credentials", async () => {
  const [proxy, port] = await Promise.all([started(startProxy()), startHttp()]);
  const fetch = outboundFetch({ HTTP_PROXY: `http://user:p%40ss@127.0.0.1:${proxy.port}` });
  const target = `http://${ELSEWHERE}:${port}/path?query=1`;
  expect(await (await fetch(target, { method: "POST", body: "sent" })).json()).toMatchObject({
    path: "/path?query=1",
    body: "sent",
    headers: { host: `${ELSEWHERE}:${port}` },
  });
  expect(proxy.requests).toEqual([{ method: "POST", target, authorization: `Basic ${btoa("user:p@ss")}` }]);
});

test("HTTPS goes through a tunnel of HTTPS_PROXY, with the settings of the server at its end", async () => {
  const [proxy, server] = await Promise.all([
    started(startProxy()),
    startTls({ requestCert: true, ca: authority.cert }),
  ]);
  const fetch = openFetch({ https_proxy: proxy.url })({ caFile, ...(await clientFiles("agent")) });
  const target = `https://${ELSEWHERE}:${server.port}/`;
  const answer = (await (await fetch(target)).json()) as Answer;
  expect(answer).toMatchObject({ client: "agent" });
  // What the proxy is told is not for the server, nor the reverse.
  expect(Object.keys(answer.headers)).not.toContain("proxy-authorization");
  expect(proxy.requests).toMatchObject([{ method: "CONNECT", target: `${ELSEWHERE}:${server.port}` }]);
  await expect(openFetch({ https_proxy: proxy.url })({})(target)).rejects.toThrow("fetch failed");
});

test("what NO_PROXY names, and this machine, is asked directly", async () => {
  const [proxy, port] = await Promise.all([started(startProxy()), startHttp()]);
  const fetch = outboundFetch({ HTTP_PROXY: proxy.url, NO_PROXY: "192.0.2.0/24" });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  expect(proxy.requests).toEqual([]);
});

test("a redirect is judged anew", async () => {
  const [proxy, port] = await Promise.all([started(startProxy()), startHttp()]);
  const fetch = outboundFetch({ HTTP_PROXY: proxy.url });
  const target = `http://${ELSEWHERE}:${port}/redirect`;
  expect(await (await fetch(target)).json()).toMatchObject({ path: "/there" });
  expect(proxy.requests.map(({ target }) => target)).toEqual([target]);
});

test("a proxy that cannot be reached is an error that shows no credentials", async () => {
  const fetch = outboundFetch({ HTTPS_PROXY: "http://user:hunter2@127.0.0.1:1" });
  const failure = await fetch(`https://${ELSEWHERE}/`).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TypeError);
  expect(JSON.stringify([String(failure), String((failure as Error).cause)])).not.toContain("hunter2");
});

interface Answer {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly client?: string;
  readonly clientPort: number;
}

/** Tells what it was asked. */
const mirror: RequestListener = async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const { url: path = "", headers, socket } = incoming;
  if (path === "/never") return;
  if (path === "/echo") return void outgoing.end(body);
  if (path === "/redirect") {
    outgoing.writeHead(302, { location: `http://localhost:${socket.localPort}/there` }).end();
    return;
  }
  const client = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
  outgoing.end(JSON.stringify({ path, body, headers, client, clientPort: socket.remotePort }));
};

async function startTls(options: ServerOptions = {}) {
  const server = createServer({ ...identity, ...options }, mirror).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `https://localhost:${port}/` };
}

async function startHttp(): Promise<number> {
  const server = createHttpServer(mirror).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

async function started(starting: Promise<ForwardProxy>): Promise<ForwardProxy> {
  const proxy = await starting;
  stops.push(() => proxy.stop());
  return proxy;
}

async function clientFiles(name: string) {
  const { cert, key } = authority.issue({ names: [name] });
  return { certFile: put("client.pem", cert), keyFile: put("client.key", key) };
}

function put(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function inFolder(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [key, join(folder, name)]));
}
