import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFetch } from "../../infra/node/net/open-fetch.ts";
import { type RunningServer, startServer } from "../../infra/node/server.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import { type CertificateAuthority, createAuthority } from "../support/certificates.ts";
import { startProxy } from "../support/forward-proxy.ts";
import { freePort } from "../support/free-port.ts";

/** No name server knows it; the proxy finds every host on this machine. */
const ELSEWHERE = "api.upstream.test";
const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "Who", version: "1" },
  paths: { "/who": { get: { operationId: "who", responses: { 200: { description: "The caller" } } } } },
};

let folder: string;
let authority: CertificateAuthority;
const stops: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-product-tls-"));
  authority = createAuthority();
  put("ca.pem", authority.cert);
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  rmSync(folder, { recursive: true });
});

test("an agent calls a tool over TLS, and the API behind it sees the client certificate of upstream.tls", async () => {
  const api = await startApi();
  const server = await startProduct(`https://localhost:${api}`);
  expect(server.url).toMatch(/^https:/);
  expect(await callWho(server)).toMatchObject({ structuredContent: { caller: "gateway" } });
});

test("the API is reached through the proxy of the environment, also with upstream.tls", async () => {
  const [api, proxy] = await Promise.all([startApi(), startProxy()]);
  stops.push(() => proxy.stop());
  const server = await startProduct(`https://${ELSEWHERE}:${api}`, { HTTPS_PROXY: proxy.url });
  expect(await callWho(server)).toMatchObject({ structuredContent: { caller: "gateway" } });
  expect(proxy.requests).toMatchObject([{ method: "CONNECT", target: `${ELSEWHERE}:${api}` }]);
});

test("without upstream.tls the API of a private authority cannot be reached, and the agent is told so", async () => {
  const api = await startApi();
  const server = await startProduct(`https://localhost:${api}`, {}, {});
  expect(await callWho(server)).toMatchObject({ isError: true });
});

async function startProduct(
  baseURL: string,
  environment: Readonly<Record<string, string>> = {},
  upstream: { readonly tls?: string } = { tls: "internal" },
): Promise<RunningServer> {
  const [listener, client] = [authority.issue(), authority.issue({ names: ["gateway"] })];
  const document = {
    version: "1",
    http: { address: `localhost:${await freePort()}`, tls: "listener" },
    tls: {
      listener: { certFile: put("server.crt", listener.cert), keyFile: put("server.key", listener.key) },
      internal: {
        caFile: join(folder, "ca.pem"),
        certFile: put("client.crt", client.cert),
        keyFile: put("client.key", client.key),
      },
    },
    store: { path: join(folder, "data") },
    mcpProvider: { enabled: true, transports: { stream: { enabled: true, path: "/mcp" } } },
    apps: [
      {
        name: "who",
        type: "mcpBridge",
        toolNamespace: { disabled: true },
        openapi: { spec: { data: JSON.stringify(OPENAPI) }, baseURL },
        upstream,
      },
    ],
  };
  const compiled = await compileConfiguration(JSON.stringify(document), {
    file: "tls.yaml",
    readDocument: (uri) => Promise.reject(new Error(`${uri} is not read here`)),
  });
  if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors));
  const { artifact } = compiled;
  const secrets = { get: () => Promise.reject(new Error("there are no secrets")) };
  const server = await startServer({ artifact, environment, secrets, verbose: false, write: () => undefined });
  stops.push(() => server.stop());
  return server;
}

async function callWho({ url }: RunningServer): Promise<unknown> {
  const response = await openFetch({})({ caFile: join(folder, "ca.pem") })(`${url}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "who", arguments: {} } }),
  });
  const text = await response.text();
  const { result } = JSON.parse(text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? text));
  return result;
}

/** An API that talks to clients of the authority alone, and tells who asks. */
async function startApi(): Promise<number> {
  const identity = authority.issue({ names: ["localhost", ELSEWHERE] });
  const options = { ...identity, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, ({ socket }, response) => {
    const caller = (socket as TLSSocket).getPeerCertificate().subject.CN;
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ caller }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

function put(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}
