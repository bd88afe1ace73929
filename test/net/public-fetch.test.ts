import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { publicFetch } from "../../infra/node/net/agent-supplied.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { proxiesOf } from "../../lib/net/proxies.ts";
import { type DocumentServer, openDocumentServer, PUBLIC_ADDRESS } from "../support/document-server.ts";
import { type ForwardProxy, startProxy } from "../support/forward-proxy.ts";

const URL_OF_IT = "https://as.example/token";
const V6 = "2606:4700:4700::1111";
let server: DocumentServer;
let proxy: ForwardProxy;
beforeAll(async () => {
  server = await openDocumentServer(["as.example"]);
  server.serve(URL_OF_IT, { told: true });
});
afterAll(() => server.close());
beforeEach(async () => {
  proxy = await startProxy(server.port);
});
afterEach(() => proxy.stop());

/** @param found the addresses of every name */
function fetchIn(environment: Record<string, string>, found: readonly string[] = [PUBLIC_ADDRESS]) {
  const connectTo = { host: "127.0.0.1", port: server.port };
  return publicFetch({ resolve: async () => found, connectTo, ca: server.ca, proxies: proxiesOf(environment) });
}

const targets = () => proxy.requests.map(({ method, target }) => `${method} ${target}`);

describe("70. addresses of foreign documents behind a proxy", () => {
  test("it is asked for the address that was checked, and sees no more of the host than TLS shows", async () => {
    const send = fetchIn({ HTTPS_PROXY: proxy.url });
    const response = await send(URL_OF_IT, { method: "POST", body: "code=1" });
    expect(await response.json()).toEqual({ told: true });
    expect(targets()).toEqual([`CONNECT ${PUBLIC_ADDRESS}:443`]);
  });

  test("it is told who asks, as its URL has it", async () => {
    const { host } = new URL(proxy.url);
    await fetchIn({ HTTPS_PROXY: `http://us%40er:p%3Ass@${host}` })(URL_OF_IT);
    expect(proxy.requests[0]?.authorization).toBe(`Basic ${btoa("us@er:p:ss")}`);
  });

  test("an address of IPv4 is tried first, and no other one of a host that has one inside", async () => {
    await fetchIn({ HTTPS_PROXY: proxy.url }, [V6, PUBLIC_ADDRESS])(URL_OF_IT);
    await fetchIn({ HTTPS_PROXY: proxy.url }, [V6])(URL_OF_IT);
    expect(targets()).toEqual([`CONNECT ${PUBLIC_ADDRESS}:443`, `CONNECT [${V6}]:443`]);
    for (const inside of ["10.0.0.1", "169.254.169.254", "::1"]) {
      const send = fetchIn({ HTTPS_PROXY: proxy.url }, [PUBLIC_ADDRESS, inside]);
      await expect(send(URL_OF_IT)).rejects.toThrow(OutboundError);
    }
    for (const url of ["https://10.0.0.1/", "https://db.internal/", "http://as.example/"]) {
      await expect(fetchIn({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url })(url)).rejects.toThrow(OutboundError);
    }
    expect(proxy.requests).toHaveLength(2);
  });

  test("the certificate is that of the name, whatever the proxy leads to", async () => {
    await expect(fetchIn({ HTTPS_PROXY: proxy.url })("https://other.example/")).rejects.toThrow("fetch failed");
    await expect(fetchIn({ HTTPS_PROXY: proxy.url })("https://8.8.8.8/")).rejects.toThrow("fetch failed");
    expect(targets()).toEqual([`CONNECT ${PUBLIC_ADDRESS}:443`, "CONNECT 8.8.8.8:443"]);
  });

  test.each<[string, Record<string, string>]>([
    ["NO_PROXY", { NO_PROXY: "as.example" }],
    ["a proxy for http alone", { HTTPS_PROXY: "" }],
  ])("%s has it reached directly", async (_, change) => {
    const environment = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, ...change };
    expect(await (await fetchIn(environment)(URL_OF_IT)).json()).toEqual({ told: true });
    expect(proxy.requests).toEqual([]);
  });

  test("a proxy that refuses, or is not there, is not gone around", async () => {
    const before = server.connections();
    const refusing = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    await once(refusing.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    await expect(fetchIn({ HTTPS_PROXY: url })(URL_OF_IT)).rejects.toThrow("The proxy answered 403");
    refusing.closeAllConnections();
    await new Promise((done) => refusing.close(done));
    await expect(fetchIn({ HTTPS_PROXY: url })(URL_OF_IT)).rejects.toThrow("The proxy cannot be reached");
    expect(server.connections()).toBe(before);
  });
});
