import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentSuppliedFetch } from "../../infra/node/net/agent-supplied.ts";
import { guardedFetch, guardedRequests } from "../../lib/net/agent-supplied.ts";
import { OutboundError } from "../../lib/net/outbound.ts";
import { isPublicAddress } from "../../lib/net/public-address.ts";
import { type DocumentServer, openDocumentServer, PUBLIC_ADDRESS } from "../support/document-server.ts";

const INSIDE = [
  ...["127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "0.0.0.0", "0.1.2.3"],
  ...["169.254.169.254", "100.64.0.1", "100.100.100.200", "224.0.0.1", "239.255.255.255", "255.255.255.255"],
  ...["240.0.0.1", "192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.88.99.1"],
  ...["168.63.129.16", "::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1"],
  ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8", "::127.0.0.1", "::7f00:1", "::ffff:0:127.0.0.1"],
  ...["64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a00:1::1", "2001::1"],
  ...["2001:db8::1", "3fff::1", "100::1", "5f00::1", "2001:10::1", "2001:20::1", "4000::1", "not an address", ""],
];
const PUBLIC = [PUBLIC_ADDRESS, "8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700:4700::1111", "2001:4860:4860::8888"];

describe("addresses", () => {
  test.each(INSIDE)("21. %j is not public", (address) => expect(isPublicAddress(address)).toBe(false));
  test.each(PUBLIC)("21. %s is public", (address) => expect(isPublicAddress(address)).toBe(true));

  test("21. no IPv6 address that holds a private IPv4 address in a known way is public, and no text throws", () => {
    const spellings = (v4: string) => [
      `::ffff:${v4}`,
      `::${v4}`,
      `64:ff9b::${v4}`,
      `::ffff:0:${v4}`,
      `64:ff9b:1::${v4}`,
    ];
    fc.assert(fc.property(fc.ipV4(), (v4) => spellings(v4).every((text) => !isPublicAddress(text))));
    fc.assert(fc.property(fc.string(), (text) => void isPublicAddress(text)));
  });
});

const REFUSED_URLS = [
  ...["http://agent.example/client", "ftp://agent.example/x", "data:application/json,{}", "file:///etc/passwd"],
  ...[
    "https://agent.example:8443/client",
    "https://agent.example:80/",
    "https://user@agent.example/",
    "https://:p@agent.example/",
  ],
  ...[
    "https://localhost/",
    "https://LOCALHOST/",
    "https://a.localhost/",
    "https://printer.local/",
    "https://db.internal/",
  ],
  ...["https://metadata.google.internal/", "https://intranet/", "https://agent.example./", "https://nas.home.arpa/"],
  ...[
    "https://x.lan/",
    "https://x.corp/",
    "https://x.test/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
  ],
  ...[
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://%31%32%37.0.0.1/",
    "https://１２７.0.0.1/",
  ],
  ...["https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[64:ff9b::7f00:1]/"],
  ...[
    "https://[2002:7f00:1::]/",
    "https://[fe80::1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://10.1.2.3/",
  ],
];

describe("addresses that an agent supplied", () => {
  test.each(REFUSED_URLS)("21. %s is refused before anything is connected to", async (url) => {
    let calls = 0;
    const guarded = guardedFetch(async () => {
      calls += 1;
      return new Response();
    });
    await expect(guarded(url)).rejects.toThrow(OutboundError);
    expect(calls).toBe(0);
  });

  test.each([
    "https://agent.example/client",
    "https://agent.example:443/c?x=1",
    "https://8.8.8.8/",
    "https://[2606:4700::1]/",
  ])("21. %s is asked, by GET and without following redirects", async (url) => {
    const inits: (RequestInit | undefined)[] = [];
    const guarded = guardedFetch(async (_, init) => {
      inits.push(init);
      return new Response();
    });
    await guarded(url, { method: "POST", redirect: "follow" });
    expect(inits).toEqual([{ method: "GET", redirect: "manual" }]);
  });

  test("21. one that a document named, with a body, goes where an agent's address may go and nowhere else", async () => {
    const inits: (RequestInit | undefined)[] = [];
    const guarded = guardedRequests(async (_, init) => {
      inits.push(init);
      return new Response();
    });
    const post = { method: "POST", body: "code=1", redirect: "follow" } as const;
    for (const url of REFUSED_URLS) await expect(guarded(url, post), url).rejects.toThrow(OutboundError);
    expect(inits).toEqual([]);
    await guarded("https://agent.example/token", post);
    expect(inits).toEqual([{ ...post, redirect: "manual" }]);
  });
});

describe("connections of Node", () => {
  let server: DocumentServer;
  beforeAll(async () => {
    server = await openDocumentServer(["agent.example"]);
    server.serve("https://agent.example/client", { fine: true });
    server.serve("https://agent.example/elsewhere", (_, response) =>
      response.writeHead(302, { Location: "https://agent.example/client" }).end(),
    );
  });
  afterAll(() => server.close());

  const fetchWith = (resolve: (name: string) => Promise<readonly string[]>) =>
    agentSuppliedFetch({ resolve, connectTo: { host: "127.0.0.1", port: server.port }, ca: server.ca });

  test("21. a name with public addresses is asked over TLS, under its own name", async () => {
    const response = await server.fetch("https://agent.example/client");
    expect(await response.json()).toEqual({ fine: true });
  });

  test("21. a redirect is the answer", async () => {
    const before = server.requests.length;
    const response = await server.fetch("https://agent.example/elsewhere");
    expect(response.status).toBe(302);
    await response.body?.cancel();
    expect(server.requests.slice(before)).toEqual(["https://agent.example/elsewhere"]);
  });

  test.each([
    [["127.0.0.1"]],
    [["::ffff:10.0.0.1"]],
    [[PUBLIC_ADDRESS, "169.254.169.254"]],
    [["fd00::1", "8.8.8.8"]],
    [[]],
  ])("21. a name that resolves to %j is not connected to", async (addresses) => {
    const before = server.connections();
    await expect(fetchWith(async () => addresses)("https://agent.example/client")).rejects.toThrow(OutboundError);
    expect(server.connections()).toBe(before);
  });

  test("21. a name is resolved once for a connection: what it resolves to later changes nothing", async () => {
    const answers = [[PUBLIC_ADDRESS], ["127.0.0.1"]];
    let asked = 0;
    const fetch = fetchWith(async () => answers[asked++] ?? []);
    expect((await fetch("https://agent.example/client")).status).toBe(200);
    expect(asked).toBe(1);
  });

  test("21. the connection goes to the address that was checked", async () => {
    // Without a place to go instead, loopback itself is what a name resolves to, and it is refused.
    const fetch = agentSuppliedFetch({ resolve: async () => ["127.0.0.1"], ca: server.ca });
    await expect(fetch("https://agent.example/client")).rejects.toThrow("not on the public internet");
  });

  test("21. a server whose certificate is for another name, or of an unknown authority, is not believed", async () => {
    await expect(server.fetch("https://other.example/client")).rejects.toThrow();
    const connectTo = { host: "127.0.0.1", port: server.port };
    const untrusting = agentSuppliedFetch({ resolve: async () => [PUBLIC_ADDRESS], connectTo });
    await expect(untrusting("https://agent.example/client")).rejects.toThrow();
  });

  test("21. a name that does not resolve is an error like any other", async () => {
    const failing = fetchWith(() => Promise.reject(new Error("ENOTFOUND")));
    await expect(failing("https://agent.example/client")).rejects.toThrow();
  });
});
